/**
 * What is used here of node-forge's ASN.1. The package's own types name those of Node, which do not exist in this room;
 * its entry would load everything else that it has. Bytes are strings here, one character for each.
 */
declare module 'node-forge/lib/asn1.js' {
  export interface Asn1 {
    readonly tagClass: number
    readonly type: number
    readonly constructed: boolean
    readonly value: string | readonly Asn1[]
  }

  interface Asn1Functions {
    create(tagClass: number, type: number, constructed: boolean, value: string | readonly Asn1[]): Asn1
    toDer(value: Asn1): { getBytes(): string }
    /** Throws. */
    fromDer(
      bytes: string,
      options: {
        readonly strict: boolean
        readonly parseAllBytes: boolean
        readonly decodeBitStrings: boolean
        readonly maxDepth: number
      },
    ): Asn1
    oidToDer(dotted: string): { getBytes(): string }
    /** Throws. */
    derToOid(bytes: string): string
  }

  const asn1: Asn1Functions
  // The form in which Node gives what a CommonJS module exports.
  // biome-ignore lint/style/noDefaultExport: it is the package's, not ours.
  export default asn1
}
