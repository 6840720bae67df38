/**
 * The part of node-forge's ciphers that this room uses. The package's own types name those of Node, which do not exist
 * in this room, and its entry would load everything else of the package. Bytes are strings here, one character for each
 * byte.
 */
declare module 'node-forge/lib/aes.js' {
  /** Registers AES with the package's list of ciphers. */
  const aes: object
  // Node gives the exports of a CommonJS module in this form.
  // biome-ignore lint/style/noDefaultExport: the export is the package's, not ours.
  export default aes
}

declare module 'node-forge/lib/cipher.js' {
  interface ByteBuffer {
    getBytes(): string
  }

  interface Gcm {
    start(options: {
      readonly iv: string
      readonly additionalData: string
      readonly tagLength: number
      readonly tag?: ByteBuffer
    }): void
    update(bytes: ByteBuffer): void
    /** False: the tag does not fit. */
    finish(): boolean
    readonly output: ByteBuffer
    readonly mode: { readonly tag: ByteBuffer }
  }

  interface Ciphers {
    createCipher(name: 'AES-GCM', key: string): Gcm
    createDecipher(name: 'AES-GCM', key: string): Gcm
  }

  const ciphers: Ciphers
  // biome-ignore lint/style/noDefaultExport: the export is the package's, not ours.
  export default ciphers
}

declare module 'node-forge/lib/util.js' {
  interface ByteBuffer {
    getBytes(): string
  }

  const util: { createBuffer(bytes: string): ByteBuffer }
  // biome-ignore lint/style/noDefaultExport: the export is the package's, not ours.
  export default util
}
