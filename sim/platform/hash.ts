import { createHash } from 'node:crypto'

/** Of its own memory, and no Buffer. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}
