import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'vitest'
import { rsaPool } from '../../../sim/platform/pure/rsa-pool.ts'
import { hex, utf8 } from '../../../src/base/bytes.ts'
import type { KeyKind, SignatureAlgorithm, SigningKey } from '../../../src/env/crypto.ts'
import type { Law } from './law-world.ts'

const algorithms: Readonly<Record<KeyKind, SignatureAlgorithm>> = {
  'ec-256': 'ecdsa-sha256',
  'ec-384': 'ecdsa-sha384',
  'ec-521': 'ecdsa-sha512',
  'rsa-2048': 'rsa-sha256',
  'rsa-4096': 'rsa-sha256',
}
/** Not of RSA with 4096 bits: finding one on Node may take seconds. */
const generated = ['ec-256', 'ec-384', 'ec-521', 'rsa-2048'] as const
const text = utf8('what is signed')

export function cryptoLaws(law: Law): void {
  law('a key of each kind signs by the algorithm of its kind, and what it signed is verified', async ({ env }) => {
    const keys = await Promise.all(generated.map((kind) => env.crypto.generateKey(kind)))
    for (const [at, key] of keys.entries()) {
      const kind = generated[at] ?? 'ec-256'
      expect(key.algorithm).toBe(algorithms[kind])
      expect(key.privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
      verifies(env.crypto, key)
      const [other] = keys.filter((each) => each !== key)
      expect(env.crypto.verify(other?.publicKey ?? key.publicKey, key.algorithm, text, key.sign(text))).toBe(false)
    }
  })

  law('two keys of one kind are different', async ({ env, peer }) => {
    for (const kind of generated) {
      const keys = [await env.crypto.generateKey(kind), await env.crypto.generateKey(kind)]
      if (kind !== 'rsa-2048') keys.push(await peer.crypto.generateKey(kind))
      expect(new Set(keys.map(({ publicKey }) => hex(publicKey))).size).toBe(keys.length)
    }
  })

  law('a key is not there in the turn in which it was asked for', async ({ env }) => {
    let there = false
    const asked = env.crypto.generateKey('ec-256').then(() => {
      there = true
    })
    await Promise.resolve()
    expect(there).toBe(false)
    await asked
    expect(there).toBe(true)
  })

  const foreign = foreignKeys()
  law('a private key is read from each form in which PEM has it', async ({ env }) => {
    for (const [kind, key] of foreign) {
      const forms = [key.export({ type: 'pkcs8', format: 'pem' }).toString()]
      if (key.asymmetricKeyType === 'ec') forms.push(key.export({ type: 'sec1', format: 'pem' }).toString())
      if (key.asymmetricKeyType === 'rsa') forms.push(key.export({ type: 'pkcs1', format: 'pem' }).toString())
      expect(forms).toHaveLength(kind === 'ed25519' ? 1 : 2)
      for (const form of forms) {
        const read = env.crypto.readSigningKey(form)
        if (read === undefined) throw new Error(`no key was read from ${kind}`)
        expect(read.algorithm).toBe(kind)
        expect(read.privateKeyPem).toBe(forms[0])
        verifies(env.crypto, read)
      }
    }
  })

  const wrongKeys = unusableKeys()
  law('a key of a kind that is not known, weak or behind a password is none', async ({ env }) => {
    for (const pem of wrongKeys) expect(env.crypto.readSigningKey(pem), pem).toBeUndefined()
  })

  law('what is no key or no signature verifies nothing, and throws nothing', async ({ env }) => {
    const [key, rsa] = [await env.crypto.generateKey('ec-256'), env.crypto.readSigningKey(rsaPool['rsa-2048'][1] ?? '')]
    if (rsa === undefined) throw new Error('the key of the pool is not read')
    const [signature, rsaSignature] = [key.sign(text), rsa.sign(text)]
    const { verify } = { verify: env.crypto.verify.bind(env.crypto) }
    for (const wrong of [new Uint8Array(0), Uint8Array.of(0x30, 0), text, signature.subarray(1), rsaSignature]) {
      expect(verify(key.publicKey, key.algorithm, text, wrong)).toBe(false)
      expect(verify(wrong, key.algorithm, text, signature)).toBe(false)
    }
    // The algorithm is the one that was said, not the one that the key would have liked.
    expect(verify(key.publicKey, 'ecdsa-sha384', text, signature)).toBe(false)
    expect(verify(key.publicKey, 'rsa-sha256', text, signature)).toBe(false)
    expect(verify(key.publicKey, 'ed25519', text, signature)).toBe(false)
    expect(verify(rsa.publicKey, 'rsa-sha512', text, rsaSignature)).toBe(false)
    expect(verify(rsa.publicKey, 'ecdsa-sha256', text, rsaSignature)).toBe(false)
    expect(verify(rsa.publicKey, 'rsa-sha256', utf8('other'), rsaSignature)).toBe(false)
  })

  law('sha1 is SHA-1', async ({ env }) => {
    // FIPS 180-4, example of one block.
    expect(hex(env.crypto.sha1(utf8('abc')))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d')
  })
}

function verifies(
  crypto: { verify(key: Uint8Array, algorithm: SignatureAlgorithm, bytes: Uint8Array, by: Uint8Array): boolean },
  key: SigningKey,
): void {
  const signature = key.sign(text)
  expect(crypto.verify(key.publicKey, key.algorithm, text, signature)).toBe(true)
  expect(crypto.verify(key.publicKey, key.algorithm, utf8('something else'), signature)).toBe(false)
  const changed = Uint8Array.from(signature)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  expect(crypto.verify(key.publicKey, key.algorithm, text, changed)).toBe(false)
}

function foreignKeys(): readonly (readonly [SignatureAlgorithm, KeyObject])[] {
  const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
  return [
    ['ecdsa-sha256', curve('prime256v1')],
    ['ecdsa-sha384', curve('secp384r1')],
    ['ecdsa-sha512', curve('secp521r1')],
    ['rsa-sha256', createPrivateKey(rsaPool['rsa-2048'][0] ?? '')],
    ['rsa-sha256', createPrivateKey(rsaPool['rsa-4096'][0] ?? '')],
    ['ed25519', generateKeyPairSync('ed25519').privateKey],
  ]
}

function unusableKeys(): readonly string[] {
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const
  const keys = [
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export(pkcs8),
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pkcs8),
    generateKeyPairSync('x25519').privateKey.export(pkcs8),
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey.export({ type: 'spki', format: 'pem' }),
    createPrivateKey(rsaPool['rsa-2048'][0] ?? '').export({ ...pkcs8, cipher: 'aes-128-cbc', passphrase: 'a' }),
    '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n',
    'none',
    '',
  ]
  return keys.map((key) => key.toString())
}
