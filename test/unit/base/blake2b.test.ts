import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { blake2b256 } from '../../../src/base/blake2b.ts'
import { base64, hex, utf8 } from '../../../src/base/bytes.ts'

/** Made with another implementation (libb2, by Python's hashlib). */
const known: readonly (readonly [text: string, digest: string])[] = [
  ['', '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8'],
  ['abc', 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319'],
  ['a'.repeat(128), 'ae2aa48507885c4c950fb809b2076f959cde9f8ea6da260d9a3587df33dac450'],
  ['a'.repeat(129), '2f64744a6de0d2c0b56e64cf6e29a5aaa255010d415d51c75ccc82f73dccd865'],
  ['a'.repeat(1000), 'e00b0ddbf1e2cdaf5c898e1a5e8826ea3a2c339bcf2a478da2e5fca9ff126672'],
]

describe('BLAKE2b', () => {
  it.each(known)('of %j is what others make of it', (text, digest) => {
    expect(hex(blake2b256(utf8(text)))).toBe(digest)
  })

  it('gives the hash that a running server of the field gave a policy', () => {
    const said = 'p1dservice_prefix "" { policy = "read" }dc1'
    expect(base64(blake2b256(utf8(said)))).toBe('s7MqNgz0oX/pR64t9EJIRbvx2GW+XqoYmUuGFLiFgnA=')
  })

  it('of every length up to three blocks is what others make of it', () => {
    const digests = Array.from({ length: 385 }, (_, length) => hex(blake2b256(new Uint8Array(length))))
    const all = createHash('sha256').update(digests.join()).digest('hex')
    expect(all).toBe('0ee1c91c40de75077f7194e5dd561b6b8d9ae24a1ea8090e045b19b84fa187a4')
  })
})
