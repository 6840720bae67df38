import { createHash } from 'node:crypto'
import type { RunningHash } from '../env/crypto.ts'
import { plainBytes } from './plain-bytes.ts'

export function sha256(bytes: Uint8Array): Uint8Array {
  return plainBytes(createHash('sha256').update(bytes).digest())
}

export function sha1(bytes: Uint8Array): Uint8Array {
  return plainBytes(createHash('sha1').update(bytes).digest())
}

export function runningSha256(): RunningHash {
  const hash = createHash('sha256')
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    digest: () => plainBytes(hash.digest()),
  }
}
