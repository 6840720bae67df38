import { createPrivateKey } from 'node:crypto'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { ecKey, readSigningKey } from '../../../sim/platform/signing-keys.ts'
import { Simulation } from '../../../sim/simulation/simulation.ts'
import { hex, utf8 } from '../../../src/base/bytes.ts'
import type { KeyKind, SigningKey } from '../../../src/env/crypto.ts'

const kinds = ['ec-256', 'ec-384', 'ec-521', 'rsa-2048', 'rsa-4096'] as const

async function keysOf(seed: string, keys?: 'real' | 'cheap', asked: readonly KeyKind[] = kinds) {
  const platform = createPlatform()
  try {
    const simulation = new Simulation({ seed, platform, keys })
    const node = simulation.addNode({ name: 'a', host: '10.0.0.1' })
    const made: SigningKey[] = []
    await simulation.play(
      node,
      async (env) => {
        for (const kind of asked) made.push(await env.crypto.generateKey(kind))
      },
      60_000,
    )
    return { made, signatures: made.map((key) => hex(key.sign(utf8('text')))), nowUs: simulation.nowUs }
  } finally {
    platform.close()
  }
}

describe('keys of the simulator', () => {
  it('are the same for the same seed, sign the same each time, and take the same time', async () => {
    const [first, again, other] = [await keysOf('1'), await keysOf('1'), await keysOf('2')]
    expect(again.made.map(({ privateKeyPem }) => privateKeyPem)).toEqual(
      first.made.map(({ privateKeyPem }) => privateKeyPem),
    )
    expect([again.signatures, again.nowUs]).toEqual([first.signatures, first.nowUs])
    for (const at of [0, 1, 2]) expect(other.signatures[at]).not.toBe(first.signatures[at])
    expect(other.nowUs).not.toBe(first.nowUs)
  })

  it('of RSA are not the same twice in a row', async () => {
    const { made } = await keysOf('1', 'real', ['rsa-4096', 'rsa-4096', 'rsa-4096', 'rsa-4096'])
    for (let at = 1; at < made.length; at++) expect(made[at]?.publicKey).not.toEqual(made[at - 1]?.publicKey)
  })

  it('are all Ed25519 in a run that studies scale', async () => {
    const { made } = await keysOf('1', 'cheap')
    expect(new Set(made.map(({ algorithm }) => algorithm))).toEqual(new Set(['ed25519']))
    expect(new Set(made.map(({ publicKey }) => hex(publicKey))).size).toBe(made.length)
  })

  it.each([
    ['ec-256', p256],
    ['ec-384', p384],
    ['ec-521', p521],
  ] as const)('sign on %s as the library of the curves does', (kind, curve) => {
    for (let round = 0; round < 20; round++) {
      const key = ecKey(kind, Uint8Array.of(round))
      const jwk = createPrivateKey(key.privateKeyPem).export({ format: 'jwk' })
      const secret = new Uint8Array(Buffer.from(jwk.d ?? '', 'base64url'))
      const text = utf8(`text ${round}`)
      expect(hex(key.sign(text))).toBe(hex(curve.sign(text, secret, { lowS: false, format: 'der' })))
    }
  })

  // RFC 6979, appendices A.2.5, A.2.6 and A.2.7: the message is "sample", the hash that of the curve here.
  it.each([
    {
      name: 'P-256',
      jwk: {
        d: 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721',
        x: '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6',
        y: '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
      },
      r: 'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
      s: 'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
    },
    {
      name: 'P-384',
      jwk: {
        d: '6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5',
        x: 'ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13',
        y: '8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720',
      },
      r: '94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46',
      s: '99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8',
    },
    {
      name: 'P-521',
      jwk: {
        d: '00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538',
        x: '01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd371123d46e45db6b5d5370a7f20fb633155d38ffa16d2bd761dcac474b9a2f5023a4',
        y: '00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5',
      },
      r: '00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fa',
      s: '00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a',
    },
  ])('sign on $name as RFC 6979 has it', ({ name, jwk, r, s }) => {
    const text = (value: string) => Buffer.from(value, 'hex').toString('base64url')
    const key = createPrivateKey({
      key: { kty: 'EC', crv: name, d: text(jwk.d), x: text(jwk.x), y: text(jwk.y) },
      format: 'jwk',
    })
    const read = readSigningKey(key.export({ type: 'sec1', format: 'pem' }).toString())
    const signature = hex(read?.sign(utf8('sample')) ?? new Uint8Array(0))
    const bare = (number: string) => number.replace(/^(00)+/, '')
    expect(signature).toContain(bare(r))
    expect(signature.endsWith(bare(s))).toBe(true)
  })
})
