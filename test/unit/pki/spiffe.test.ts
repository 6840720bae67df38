import { describe, expect, it } from 'vitest'
import { msOfDigits } from '../../../src/pki/der-reader.ts'
import { colonHex, serialHex } from '../../../src/pki/key-id.ts'
import { readSpiffeId, serviceUri, signingUri } from '../../../src/pki/spiffe.ts'
import { fc } from '../../fast-check.ts'
import { trustDomain } from './mesh.ts'

const web = { trustDomain, namespace: 'default', datacenter: 'dc1', service: 'web' }

describe('a SPIFFE ID', () => {
  it('of a service is read as it is written', () => {
    const uri = `spiffe://${trustDomain}/ns/default/dc/dc1/svc/web`
    expect(serviceUri(web)).toBe(uri)
    expect(readSpiffeId(uri)).toEqual({ ok: true, value: { kind: 'service', ...web } })
    expect(readSpiffeId(uri.replace(trustDomain, trustDomain.toUpperCase()))).toEqual(readSpiffeId(uri))
    expect(readSpiffeId(signingUri(trustDomain))).toEqual({ ok: true, value: { kind: 'signing', trustDomain } })
  })

  it('is read back for each name that a service can have', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (service) => {
        const uri = serviceUri({ ...web, service })
        expect(uri).toMatch(/^[\x21-\x7e]+$/)
        expect(readSpiffeId(uri)).toEqual({ ok: true, value: { kind: 'service', ...web, service } })
      }),
    )
  })

  it.each([
    ['', 'SPIFFE ID must be of the form'],
    ['https://a.b/ns/default/dc/dc1/svc/web', 'SPIFFE ID must be of the form'],
    ['spiffe://', 'SPIFFE ID must be of the form'],
    ['spiffe://a.b:80/ns/default/dc/dc1/svc/web', 'SPIFFE ID must be of the form'],
    ['spiffe://me@a.b/ns/default/dc/dc1/svc/web', 'SPIFFE ID must be of the form'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/we b', 'SPIFFE ID must be of the form'],
    ['spiffe://local', 'the trust domain of the SPIFFE ID has no dot'],
    ['spiffe://a.b/', 'not in the expected format'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/', 'not in the expected format'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/web/more', 'not in the expected format'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/web?a', 'not in the expected format'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/web#a', 'not in the expected format'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/%zz', 'not in the expected format'],
    ['spiffe://a.b/ns/default/dc/dc1/svc/%ff', 'not in the expected format'],
    [`spiffe://a.b/ns/default/dc/dc1/svc/${'a'.repeat(2_048)}`, 'longer than 2048 characters'],
  ])('is not %s', (uri, reason) => {
    expect(readSpiffeId(uri)).toMatchObject({ ok: false, error: expect.stringContaining(reason) })
  })
})

describe('names of keys and serial numbers', () => {
  it('are bytes in lower case with colons', () => {
    expect(colonHex(Uint8Array.of(0xc9, 0x7f, 0x05))).toBe('c9:7f:05')
    expect(colonHex(new Uint8Array(0))).toBe('')
    expect([8n, 0xd0n, 0x1a4n, 0n, 2n ** 64n - 1n].map(serialHex)).toEqual([
      '08',
      'd0',
      '01:a4',
      '00',
      'ff:ff:ff:ff:ff:ff:ff:ff',
    ])
  })
})

describe('a moment in digits', () => {
  it('is the one that the calendar has', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2_000_000_000, max: 253_402_300_799 }), (seconds) => {
        const digits = new Date(seconds * 1000).toISOString().replace(/[-:T]|\.000Z/g, '')
        expect(msOfDigits(digits)).toBe(seconds * 1000)
      }),
    )
  })

  it.each(['20260229000000', '20260013000000', '20261301000000', '20260101240000', '20260101006000', '20260101000060'])(
    '%s is none',
    (digits) => {
      expect(msOfDigits(digits)).toBeUndefined()
    },
  )

  it('knows leap days', () => {
    expect(msOfDigits('20240229000000')).toBe(Date.UTC(2024, 1, 29))
    expect(msOfDigits('20000229000000')).toBe(Date.UTC(2000, 1, 29))
    for (const digits of ['21000229000000', '20260231000000', '2026', '2026022900000x']) {
      expect(msOfDigits(digits), digits).toBeUndefined()
    }
  })
})
