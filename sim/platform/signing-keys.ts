import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { concatBytes } from '../../src/base/bytes.ts'
import type { SigningKey } from '../../src/env/crypto.ts'

/** What stands before the 32 bytes of an Ed25519 key in PKCS#8. RFC 8410, section 7. */
const pkcs8Head = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20])

export function signingKey(seed: Uint8Array): SigningKey {
  return keyOf(createPrivateKey({ key: Buffer.from(concatBytes([pkcs8Head, seed])), format: 'der', type: 'pkcs8' }))
}

/** Only keys whose signatures are the same each time: runs must be, too. */
export function readSigningKey(pem: string): SigningKey | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'ed25519' ? keyOf(key) : undefined
  } catch {
    return undefined
  }
}

function keyOf(key: KeyObject): SigningKey {
  return {
    algorithm: 'ed25519',
    privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' })),
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
  }
}
