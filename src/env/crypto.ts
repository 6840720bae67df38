export interface Crypto {
  sha256(bytes: Uint8Array): Uint8Array
  /** Unguessable bytes; in the simulator drawn from the seed. */
  randomBytes(length: number): Uint8Array
}
