import { describe, expect, it } from 'vitest'
import { gzipAccepted } from '../../../src/base/accept-encoding.ts'
import { concatBytes, utf8 } from '../../../src/base/bytes.ts'
import { nodeDelay, nodeDelayMsMax } from '../../../src/host/async.ts'
import { joinedHeaders } from '../../../src/host/http-body.ts'
import { addressProblem, dialFailure, endpointOf, listenFailure } from '../../../src/host/net-failures.ts'
import { HostRandom } from '../../../src/host/random.ts'
import { Tail } from '../../../src/host/tail.ts'
import { plainBytes } from '../../../src/native/plain-bytes.ts'
import { fc } from '../../fast-check.ts'

const failing = (code: string): Error => Object.assign(new Error(code), { code })

describe('gzip', () => {
  it.each(['gzip', 'deflate, gzip', 'GZIP', 'gzip;q=0.1', 'br;q=1, gzip ; q=0.5', 'x-gzip'])(
    'is accepted by %s',
    (value) => {
      expect(gzipAccepted(value)).toBe(true)
    },
  )

  it.each(['', 'deflate', 'gzip;q=0', 'gzip; q=0.000', 'gzipped', 'identity, br', 'gzip;q=x'])(
    'is not accepted by %s',
    (value) => {
      expect(gzipAccepted(value)).toBe(false)
    },
  )
})

describe('headers', () => {
  it('are lower case, and joined in order where they repeat', () => {
    const headers = joinedHeaders(['A', '1', 'b', '2', 'a', '3', 'A', ''])
    expect([...headers]).toEqual([
      ['a', '1, 3, '],
      ['b', '2'],
    ])
  })
})

describe('the tail of an output', () => {
  it('is the end of all that was pushed, at any size of pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 })), fc.integer({ min: 0, max: 20 }), (pieces, max) => {
        const tail = new Tail(max)
        for (const piece of pieces) tail.push(piece)
        const all = concatBytes(pieces)
        expect(tail.bytes()).toEqual(all.slice(Math.max(0, all.length - max)))
      }),
    )
  })

  it('does not change with the buffer it was given', () => {
    const tail = new Tail(10)
    const piece = utf8('abc')
    tail.push(piece)
    piece.fill(0)
    expect(tail.bytes()).toEqual(utf8('abc'))
  })
})

describe('failures of the network', () => {
  const at = { host: '127.0.0.1', port: 1 }

  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['EPROTO', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['INVALID_CA', 'tls'],
    ['EMFILE', 'io'],
  ])('a dial that ends with %s is %s', (code, kind) => {
    expect(dialFailure(at, failing(code))).toMatchObject({ kind, to: at })
  })

  it.each([
    ['EADDRINUSE', 'address-in-use'],
    ['EADDRNOTAVAIL', 'address-not-available'],
    ['EACCES', 'permission'],
    ['EMFILE', 'io'],
  ])('a listener that meets %s says %s', (code, kind) => {
    expect(listenFailure(at, failing(code))).toMatchObject({ kind, at })
  })

  it('addresses are what they are, IPv4 in IPv6 clothes is IPv4, and names are refused', () => {
    expect(endpointOf('::ffff:10.0.0.1', 5)).toEqual({ host: '10.0.0.1', port: 5 })
    expect(endpointOf('::1', 5)).toEqual({ host: '::1', port: 5 })
    expect(addressProblem({ host: '10.0.0.1', port: 0 })).toBeUndefined()
    expect(addressProblem({ host: '::', port: 65_535 })).toBeUndefined()
    for (const endpoint of [
      { host: 'localhost', port: 1 },
      { host: '', port: 1 },
      { host: '1.1.1.1', port: 65_536 },
      { host: '1.1.1.1', port: 1.5 },
    ]) {
      expect(addressProblem(endpoint)).toBeTypeOf('string')
    }
  })
})

describe('random numbers', () => {
  it('are in their range, and below a bound each possible one comes up', () => {
    const stream = new HostRandom().draws()
    const seen = new Set<number>()
    for (let i = 0; i < 4000; i++) {
      seen.add(stream.below(6))
      const fraction = stream.fraction()
      expect(fraction >= 0 && fraction < 1).toBe(true)
      const number = stream.uint32()
      expect(Number.isInteger(number) && number >= 0 && number < 2 ** 32).toBe(true)
    }
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5])
    expect(stream.below(1)).toBe(0)
    expect(stream.below(2 ** 32)).toBeLessThan(2 ** 32)
    for (const bound of [0, -1, 1.5, 2 ** 32 + 1]) expect(() => stream.below(bound)).toThrow(/bound/)
  })
})

describe('small things', () => {
  it('a delay for Node is whole, never shorter than asked, and never beyond what Node can wait', () => {
    expect([nodeDelay(-1), nodeDelay(0.2), nodeDelay(5), nodeDelay(2 ** 40)]).toEqual([0, 1, 5, nodeDelayMsMax])
  })

  it('bytes handed out are no Buffers, and the same memory', () => {
    const buffer = Buffer.from('abcdef').subarray(2, 4)
    const plain = plainBytes(buffer)
    expect(Object.getPrototypeOf(plain)).toBe(Uint8Array.prototype)
    expect(plain).toEqual(utf8('cd'))
    buffer[0] = 120
    expect(plain[0]).toBe(120)
  })
})
