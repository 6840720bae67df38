/**
 * The few pieces of the web platform that every JavaScript engine offers and that are pure: the same input gives the
 * same output, everywhere. Nothing else of the platform may be declared here: what reads a clock, draws random or
 * touches the world belongs to `env`.
 */
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}
