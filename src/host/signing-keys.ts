import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Crypto, KeyKind, SignatureAlgorithm, SigningKey } from '../env/crypto.ts'
import { plainBytes } from './plain-bytes.ts'

/** By OpenSSL's names. */
const curves = { 'ec-256': 'prime256v1', 'ec-384': 'secp384r1', 'ec-521': 'secp521r1' } as const
const moduli = { 'rsa-2048': 2048, 'rsa-4096': 4096 } as const
/** Of RSA: less is too weak, more takes too long to sign with. */
const rsaBitsMin = 2048
const rsaBitsMax = 8192

const byCurve: Readonly<Record<string, SignatureAlgorithm>> = {
  prime256v1: 'ecdsa-sha256',
  secp384r1: 'ecdsa-sha384',
  secp521r1: 'ecdsa-sha512',
}

const hashes: Readonly<Record<SignatureAlgorithm, string | null>> = {
  'ecdsa-sha256': 'sha256',
  'ecdsa-sha384': 'sha384',
  'ecdsa-sha512': 'sha512',
  'rsa-sha256': 'sha256',
  'rsa-sha384': 'sha384',
  'rsa-sha512': 'sha512',
  ed25519: null,
}

export function makeSigningKey(): SigningKey {
  return signingKey(generateKeyPairSync('ec', { namedCurve: curves['ec-256'] }).privateKey, 'ecdsa-sha256')
}

const generatePair = promisify(generateKeyPair)

/** On Node's pool of threads: finding primes takes seconds. */
export async function generateKey(kind: KeyKind): Promise<SigningKey> {
  const { privateKey } =
    kind === 'rsa-2048' || kind === 'rsa-4096'
      ? await generatePair('rsa', { modulusLength: moduli[kind] })
      : await generatePair('ec', { namedCurve: curves[kind] })
  const algorithm = algorithmOf(privateKey)
  if (algorithm === undefined) throw new Error(`Node made no ${kind} key`)
  return signingKey(privateKey, algorithm)
}

export function readSigningKey(pem: string): SigningKey | undefined {
  try {
    const key = createPrivateKey(pem)
    const algorithm = algorithmOf(key)
    return algorithm === undefined ? undefined : signingKey(key, algorithm)
  } catch {
    // Node says by a throw that this is no key.
    return undefined
  }
}

/**
 * Public keys that were read: reading one takes three times as long as verifying with it, and those of authorities come again
 * and again.
 */
class ReadKeys {
  readonly #keys = new Map<string, KeyObject>()

  /** Throws where it cannot be read. */
  keyOf(publicKey: Uint8Array): KeyObject {
    // No copy: Node wants the class, not other memory.
    const der = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength)
    const name = der.toString('latin1')
    const before = this.#keys.get(name)
    if (before !== undefined) return before
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (this.#keys.size >= readKeysMax) this.#keys.clear()
    this.#keys.set(name, key)
    return key
  }
}

const readKeysMax = 64

export function verifier(): Crypto['verify'] {
  const keys = new ReadKeys()
  return (publicKey, algorithm, bytes, signature) => {
    try {
      const key = keys.keyOf(publicKey)
      return fits(key, algorithm) && verify(hashes[algorithm], bytes, key, signature)
    } catch {
      // Node says by a throw that this is no key, or that no signature looks like this.
      return false
    }
  }
}

/** Its kind is the algorithm's; Node would go by the key alone. */
function fits(key: KeyObject, algorithm: SignatureAlgorithm): boolean {
  const kind = key.asymmetricKeyType
  if (kind === 'rsa') return algorithm.startsWith('rsa-')
  return kind === 'ec' ? algorithm.startsWith('ecdsa-') : kind === algorithm
}

function algorithmOf(key: KeyObject): SignatureAlgorithm | undefined {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'ec':
      return byCurve[namedCurve]
    case 'rsa':
      return modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax ? 'rsa-sha256' : undefined
    case 'ed25519':
      return 'ed25519'
    default:
      return undefined
  }
}

function signingKey(key: KeyObject, algorithm: SignatureAlgorithm): SigningKey {
  const hash = hashes[algorithm]
  return {
    algorithm,
    privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: plainBytes(createPublicKey(key).export({ type: 'spki', format: 'der' })),
    sign: (bytes) => plainBytes(sign(hash, bytes, key)),
  }
}
