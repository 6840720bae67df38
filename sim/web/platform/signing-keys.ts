import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { shake256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../../src/base/bytes.ts'
import { invariant } from '../../../src/base/invariant.ts'
import type { Crypto, EcKind, RsaKind, SigningKey } from '../../../src/env/crypto.ts'
import { pemBlocks } from '../../../src/pki/pem.ts'
import { rsaPool } from '../../platform/pure/rsa-pool.ts'
import { curves } from './algorithms.ts'
import { digestOf } from './hashes.ts'
import {
  ecPrivatePem,
  ecPublicKey,
  ed25519PrivatePem,
  ed25519PublicKey,
  type PrivateKeyForm,
  type PublicKeyForm,
  readPrivateForm,
  readPublicForm,
  rsaPrivatePem,
  rsaPublicKey,
} from './key-forms.ts'
import { signRsa, verifyRsa } from './rsa.ts'

/** The keys of `sim/platform/signing-keys.ts`, without Node: the same keys, texts and signatures. */

const readKeysMax = 64

export function signingKey(seed: Uint8Array): SigningKey {
  return keyOf({ kind: 'ed25519', secret: seed })
}

/** Bytes are hashed until they are a number below the order of the curve: nearly always the first time. */
export function ecKey(kind: EcKind, seed: Uint8Array): SigningKey {
  const { ecdsa, secretBytes } = curves[kind]
  for (let round = 0; ; round++) {
    const secret = shake256(concatBytes([seed, Uint8Array.of(round)]), { dkLen: secretBytes })
    // The highest byte of P-521's order is 1.
    if (secretBytes === 66) secret[0] = (secret[0] ?? 0) & 1
    const number = bytesToNumberBE(secret)
    if (number !== 0n && number < ecdsa.Point.Fn.ORDER) return keyOf({ kind: 'ec', curve: kind, secret })
  }
}

export function rsaKey(kind: RsaKind, nth: number): SigningKey {
  const pool = rsaPool[kind]
  const key = readSigningKey(pool[nth % pool.length] ?? '')
  invariant(key !== undefined, 'every key of the pool can be read')
  return key
}

export function readSigningKey(pem: string): SigningKey | undefined {
  const blocks = pemBlocks(pem)
  const block = blocks.ok ? blocks.value.find(({ label }) => label.endsWith('PRIVATE KEY')) : undefined
  const form = block === undefined ? undefined : readPrivateForm(block.label, block.der)
  return form === undefined || !isOnCurve(form) ? undefined : keyOf(form)
}

function isOnCurve(form: PrivateKeyForm): boolean {
  if (form.kind !== 'ec') return true
  const { ecdsa, secretBytes } = curves[form.curve]
  const number = bytesToNumberBE(form.secret)
  return form.secret.length <= secretBytes && number !== 0n && number < ecdsa.Point.Fn.ORDER
}

function keyOf(form: PrivateKeyForm): SigningKey {
  if (form.kind === 'rsa') {
    const { numbers, inner } = form
    const sign = (bytes: Uint8Array): Uint8Array => signRsa(numbers, 'rsa-sha256', bytes)
    return { algorithm: 'rsa-sha256', privateKeyPem: rsaPrivatePem(inner), publicKey: rsaPublicKey(numbers), sign }
  }
  if (form.kind === 'ed25519') {
    const { secret } = form
    return {
      algorithm: 'ed25519',
      privateKeyPem: ed25519PrivatePem(secret),
      publicKey: ed25519PublicKey(ed25519.getPublicKey(secret)),
      sign: (bytes) => ed25519.sign(bytes, secret),
    }
  }
  const { ecdsa, algorithm, secretBytes } = curves[form.curve]
  const secret = new Uint8Array(secretBytes)
  // Some writers leave out leading zeros.
  secret.set(form.secret, secretBytes - form.secret.length)
  const point = ecdsa.getPublicKey(secret, false)
  return {
    algorithm,
    privateKeyPem: ecPrivatePem(form.curve, secret, point),
    publicKey: ecPublicKey(form.curve, point),
    sign: (bytes) => ecdsa.sign(bytes, secret, { lowS: false, format: 'der' }),
  }
}

/** Caches parsed public keys: those of authorities are used again and again. */
export function verifier(): Crypto['verify'] {
  const read = new Map<string, PublicKeyForm | undefined>()
  const formOf = (publicKey: Uint8Array): PublicKeyForm | undefined => {
    const name = publicKey.join()
    if (!read.has(name)) {
      if (read.size >= readKeysMax) read.clear()
      read.set(name, readPublicForm(publicKey))
    }
    return read.get(name)
  }
  return (publicKey, algorithm, bytes, signature) => {
    const form = formOf(publicKey)
    try {
      return form !== undefined && isSigned(form, algorithm, bytes, signature)
    } catch {
      // The package throws for bytes that cannot be a point or a signature.
      return false
    }
  }
}

type Verified = Parameters<Crypto['verify']>

function isSigned(form: PublicKeyForm, algorithm: Verified[1], bytes: Uint8Array, signature: Uint8Array): boolean {
  switch (algorithm) {
    case 'ed25519':
      return form.kind === 'ed25519' && ed25519.verify(signature, bytes, form.point, { zip215: false })
    case 'rsa-sha256':
    case 'rsa-sha384':
    case 'rsa-sha512':
      return form.kind === 'rsa' && verifyRsa(form, algorithm, bytes, signature)
    default: {
      if (form.kind !== 'ec') return false
      const { ecdsa } = curves[form.curve]
      const options = { lowS: false, prehash: false, format: 'der' } as const
      return ecdsa.verify(signature, digestOf[algorithm].digest(bytes), form.point, options)
    }
  }
}
