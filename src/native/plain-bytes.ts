/**
 * The same memory without the class Buffer: `slice` of a Buffer aliases where that of a Uint8Array copies, so none may
 * reach code that was written for the latter.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
