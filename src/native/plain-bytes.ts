/**
 * A view of the same memory without the class Buffer. `slice` of a Buffer aliases the memory, where that of a
 * Uint8Array copies it, so no Buffer may reach code that was written for a Uint8Array.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
