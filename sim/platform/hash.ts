import { createHash } from 'node:crypto'
import type { RunningHash } from '../../src/env/crypto.ts'

/** Of its own memory, and no Buffer. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

export function sha1(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha1').update(bytes).digest())
}

export function runningSha256(): RunningHash {
  const hash = createHash('sha256')
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    digest: () => new Uint8Array(hash.digest()),
  }
}
