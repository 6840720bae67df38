import { bytesOf } from './bytes.ts'

/**
 * Bytes that are at hand as a byte string, on their way into MessagePack or a hash: there they are the bytes. Made for the
 * moment; what comes back is a `Uint8Array`.
 */
export class SpelledBytes {
  readonly spelling: string

  constructor(spelling: string) {
    this.spelling = spelling
  }

  /** By this name the general packer asks what to write. */
  toJSON(): Uint8Array {
    return bytesOf(this.spelling)
  }
}
