import { generateKeyPair, generateKeyPairSync } from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyKind, SigningKey } from '../env/crypto.ts'
import { nativeKey, privateKeyOf, readPrivateKey } from '../native/keys.ts'

/** By OpenSSL's names. */
const curves = { 'ec-256': 'prime256v1', 'ec-384': 'secp384r1', 'ec-521': 'secp521r1' } as const
const moduli = { 'rsa-2048': 2048, 'rsa-4096': 4096 } as const

export function makeSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curves['ec-256'] })
  return nativeKey({ key: privateKey, algorithm: 'ecdsa-sha256' })
}

const generatePair = promisify(generateKeyPair)

/** In Node's thread pool, because finding primes takes seconds. */
export async function generateKey(kind: KeyKind): Promise<SigningKey> {
  const { privateKey } =
    kind === 'rsa-2048' || kind === 'rsa-4096'
      ? await generatePair('rsa', { modulusLength: moduli[kind] })
      : await generatePair('ec', { namedCurve: curves[kind] })
  const made = privateKeyOf(privateKey)
  if (made === undefined) throw new Error(`Node made no ${kind} key`)
  return nativeKey(made)
}

export function readSigningKey(pem: string): SigningKey | undefined {
  const read = readPrivateKey(pem)
  return read === undefined ? undefined : nativeKey(read)
}
