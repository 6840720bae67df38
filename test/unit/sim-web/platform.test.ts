import { afterAll, describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import type { Platform } from '../../../sim/world/platform.ts'
import { hex, utf8 } from '../../../src/base/bytes.ts'
import type { SigningKey } from '../../../src/env/crypto.ts'
import { webPlatformOnNode } from '../../tools/web-platform.ts'

const node = createPlatform()
const web = webPlatformOnNode()
const bytes = (length: number, factor = 7): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * factor) & 255)

const keys: readonly (readonly [string, (platform: Platform) => SigningKey])[] = [
  ['Ed25519', ({ signingKey }) => signingKey(bytes(32))],
  ['P-256', ({ ecKey }) => ecKey('ec-256', bytes(32))],
  ['P-384', ({ ecKey }) => ecKey('ec-384', bytes(32))],
  ['P-521', ({ ecKey }) => ecKey('ec-521', bytes(32))],
  ['RSA with 2048 bits', ({ rsaKey }) => rsaKey('rsa-2048', 1)],
  ['RSA with 4096 bits', ({ rsaKey }) => rsaKey('rsa-4096', 0)],
]

afterAll(() => {
  web.close()
  node.close()
})

describe("a browser's platform computes what Node's does", () => {
  it.each(keys)('%s: the same texts and signatures, which each verifies of the other', (_, make) => {
    const [one, other] = [make(node), make(web)]
    expect(other.privateKeyPem).toBe(one.privateKeyPem)
    expect(hex(other.publicKey)).toBe(hex(one.publicKey))
    expect(other.algorithm).toBe(one.algorithm)
    for (const length of [0, 1, 200]) {
      const signature = one.sign(bytes(length))
      expect(hex(other.sign(bytes(length)))).toBe(hex(signature))
      for (const { verify } of [node, web]) {
        expect(verify(one.publicKey, one.algorithm, bytes(length), signature)).toBe(true)
        expect(verify(one.publicKey, one.algorithm, bytes(length + 1), signature)).toBe(false)
        expect(verify(one.publicKey, one.algorithm, bytes(length), signature.subarray(1))).toBe(false)
        expect(verify(bytes(40), one.algorithm, bytes(length), signature)).toBe(false)
      }
    }
    expect(web.readSigningKey(one.privateKeyPem)?.privateKeyPem).toBe(one.privateKeyPem)
  })

  it('a damaged key is none', () => {
    const { privateKeyPem } = node.ecKey('ec-256', bytes(32))
    for (const text of ['', 'no key', privateKeyPem.replace('MIGH', 'AAAA'), privateKeyPem.slice(0, 100)]) {
      expect(web.readSigningKey(text)).toBeUndefined()
      expect(node.readSigningKey(text)).toBeUndefined()
    }
  })

  it('SHA-256 and SHA-1, at once and piece by piece', () => {
    for (const length of [0, 55, 56, 64, 1000]) {
      const text = bytes(length)
      expect(hex(web.sha256(text))).toBe(hex(node.sha256(text)))
      expect(hex(web.sha1(text))).toBe(hex(node.sha1(text)))
      const running = web.runningSha256()
      running.update(text.subarray(0, length >> 1))
      running.update(text.subarray(length >> 1))
      expect(hex(running.digest())).toBe(hex(node.sha256(text)))
    }
  })

  it('AES-GCM, which refuses what was changed', () => {
    const nonce = bytes(12)
    for (const length of [16, 24, 32]) {
      const [key, additional] = [bytes(length, 3), utf8('also sealed')]
      const sealed = node.sealAesGcm(key, nonce, bytes(100), additional)
      expect(hex(web.sealAesGcm(key, nonce, bytes(100), additional))).toBe(hex(sealed))
      expect(web.openAesGcm(key, nonce, sealed, additional)).toEqual(bytes(100))
      expect(web.openAesGcm(key, nonce, sealed, utf8('other'))).toBeUndefined()
      expect(web.openAesGcm(key, nonce, sealed.with(3, 0), additional)).toBeUndefined()
      expect(web.openAesGcm(key, nonce, sealed.subarray(0, 15), additional)).toBeUndefined()
    }
  })
})
