/**
 * The part of node-forge's ASN.1 that this room uses. The package's own types name those of Node, which do not exist in
 * this room, and its entry would load everything else of the package. Bytes are strings here, one character for each
 * byte.
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
    /** Throws if the bytes are malformed. */
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
    /** Throws if the bytes are malformed. */
    derToOid(bytes: string): string
  }

  const asn1: Asn1Functions
  // Node gives the exports of a CommonJS module in this form.
  // biome-ignore lint/style/noDefaultExport: the export is the package's, not ours.
  export default asn1
}
