import { randomBytes } from 'node:crypto'
import type { Crypto } from '../env/crypto.ts'
import { openAesGcm, sealAesGcm } from '../native/aes-gcm.ts'
import { runningSha256, sha1, sha256 } from '../native/hash.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { verifier } from '../native/verifying.ts'
import { generateKey, makeSigningKey, readSigningKey } from './signing-keys.ts'

export const hostCrypto: Crypto = {
  sha256,
  sha1,
  runningSha256,
  randomBytes: (length) => plainBytes(randomBytes(length)),
  sealAesGcm,
  openAesGcm,
  makeSigningKey,
  generateKey,
  readSigningKey,
  verify: verifier(),
}
