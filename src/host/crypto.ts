import { createHash, randomBytes } from 'node:crypto'
import type { Crypto } from '../env/crypto.ts'
import { plainBytes } from './plain-bytes.ts'

export const hostCrypto: Crypto = {
  sha256: (bytes) => plainBytes(createHash('sha256').update(bytes).digest()),
  randomBytes: (length) => plainBytes(randomBytes(length)),
}
