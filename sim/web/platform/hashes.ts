import { sha1 as nobleSha1 } from '@noble/hashes/legacy.js'
import { sha256 as nobleSha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import type { RunningHash, SignatureAlgorithm } from '../../../src/env/crypto.ts'

export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes)
}

export function sha1(bytes: Uint8Array): Uint8Array {
  return nobleSha1(bytes)
}

export function runningSha256(): RunningHash {
  const hash = nobleSha256.create()
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    digest: () => hash.digest(),
  }
}

/** The hash function of an algorithm that signs a digest, with its object identifier. RFC 8017, appendix B.1. */
export const digestOf: Readonly<
  Record<
    Exclude<SignatureAlgorithm, 'ed25519'>,
    { readonly id: string; readonly digest: (bytes: Uint8Array) => Uint8Array }
  >
> = {
  'ecdsa-sha256': { id: '2.16.840.1.101.3.4.2.1', digest: sha256 },
  'ecdsa-sha384': { id: '2.16.840.1.101.3.4.2.2', digest: sha384 },
  'ecdsa-sha512': { id: '2.16.840.1.101.3.4.2.3', digest: sha512 },
  'rsa-sha256': { id: '2.16.840.1.101.3.4.2.1', digest: sha256 },
  'rsa-sha384': { id: '2.16.840.1.101.3.4.2.2', digest: sha384 },
  'rsa-sha512': { id: '2.16.840.1.101.3.4.2.3', digest: sha512 },
}
