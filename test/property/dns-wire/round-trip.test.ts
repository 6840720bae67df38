import dnsPacket from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { encodeResponse } from '../../../src/dns-wire/encode-response.ts'
import { type DnsRecord, type DnsResponse, rcodes, type TypeName } from '../../../src/dns-wire/message.ts'
import { isName } from '../../../src/dns-wire/names.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'
import { isSendable } from '../../../src/dns-wire/resource.ts'
import { fc } from '../../fast-check.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 50_000 : 400
const unlimited = { bytes: 65_535, answers: 65_535, compress: true, fitUncompressed: false, markTruncated: true }

const labelCharacter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFXYZ0123456789-_')
const label = fc.string({ unit: labelCharacter, minLength: 1, maxLength: 12 })
const name = fc
  .array(label, { minLength: 0, maxLength: 6 })
  .map((labels) => (labels.length === 0 ? '.' : `${labels.join('.')}.`))
const uint16 = fc.nat({ max: 65_535 })
const uint32 = fc.nat({ max: 0xffff_ffff })
const ttl = fc.nat({ max: 0x7fff_ffff })
const text = fc.string({ unit: 'grapheme', maxLength: 400 })

const record: fc.Arbitrary<DnsRecord> = fc.oneof(
  fc.record({ type: fc.constant('A' as const), name, ttl, address: fc.ipV4() }),
  fc.record({ type: fc.constant('AAAA' as const), name, ttl, address: fc.ipV6() }),
  fc.record({ type: fc.constantFrom('CNAME', 'NS', 'PTR'), name, ttl, target: name }),
  fc.record({
    type: fc.constant('SRV' as const),
    name,
    ttl,
    priority: uint16,
    weight: uint16,
    port: uint16,
    target: name,
  }),
  fc.record({ type: fc.constant('TXT' as const), name, ttl, texts: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    type: fc.constant('SOA' as const),
    name,
    ttl,
    primary: name,
    admin: name,
    serial: uint32,
    refresh: uint32,
    retry: uint32,
    expire: uint32,
    minimum: ttl,
  }),
)

const response: fc.Arbitrary<DnsResponse> = fc.record({
  query: fc.record({
    id: uint16,
    opcode: fc.nat({ max: 15 }),
    recursionDesired: fc.boolean(),
    checkingDisabled: fc.boolean(),
    question: fc.record({ name, type: uint16, class: uint16 }),
    edns: fc.option(fc.record({ udpSize: uint16, clientSubnet: fc.constant(undefined) }), { nil: undefined }),
  }),
  rcode: fc.constantFrom(...rcodes),
  authoritative: fc.boolean(),
  recursionAvailable: fc.boolean(),
  answers: fc.array(record, { maxLength: 30 }),
  authorities: fc.array(record, { maxLength: 4 }),
  additionals: fc.array(record, { maxLength: 20 }),
  edns: fc.boolean(),
})

describe('DNS messages', () => {
  it('are read by an independent codec as they were meant, with compression and without', () => {
    fc.assert(
      fc.property(response, fc.boolean(), (meant, compress) => {
        const packet = dnsPacket.decode(Buffer.from(encodeResponse(meant, { ...unlimited, compress })))
        expect(packet.id).toBe(meant.query.id)
        expect(packet).toMatchObject({ rcode: meant.rcode })
        expect(packet.flag_aa).toBe(meant.authoritative)
        expect(packet.flag_ra).toBe(meant.recursionAvailable)
        expect(packet.questions?.[0]?.name).toBe(shown(meant.query.question.name))
        expect(packet.answers?.map(seen)).toEqual(meant.answers.map(expected))
        expect(packet.authorities?.map(seen)).toEqual(meant.authorities.map(expected))
        const additionals = packet.additionals ?? []
        const withOpt = meant.edns && meant.query.edns !== undefined
        expect(additionals.filter(({ type }) => type !== 'OPT').map(seen)).toEqual(meant.additionals.map(expected))
        expect(additionals.some(({ type }) => type === 'OPT')).toBe(withOpt)
      }),
      { numRuns: runs },
    )
  })

  it('are read by our own client as they were meant', () => {
    fc.assert(
      fc.property(response, (meant) => {
        const read = decodeResponse(encodeResponse(meant, unlimited))
        if (!read.ok) throw new Error(read.error)
        expect(read.value.answers.map(comparable)).toEqual(meant.answers.map(comparable))
        expect(read.value.authorities.map(comparable)).toEqual(meant.authorities.map(comparable))
        expect(read.value.additionals.map(comparable)).toEqual(meant.additionals.map(comparable))
        expect(read.value.rcode).toBe(meant.rcode)
        expect(read.value.udpSize).toBe(meant.edns ? meant.query.edns?.udpSize : undefined)
      }),
      { numRuns: runs },
    )
  })

  it('stay within their limit unless one answer alone is larger, and keep the first answers', () => {
    fc.assert(
      fc.property(response, fc.integer({ min: 512, max: 4096 }), fc.boolean(), (meant, bytes, compress) => {
        const limits = { ...unlimited, bytes, compress }
        const encoded = encodeResponse({ ...meant, authorities: [] }, limits)
        const read = decodeResponse(encoded)
        if (!read.ok) throw new Error(read.error)
        const kept = read.value.answers
        expect(kept.map(comparable)).toEqual(meant.answers.slice(0, kept.length).map(comparable))
        if (kept.length > 1) expect(encoded.length).toBeLessThanOrEqual(bytes)
        if (meant.answers.length > 0) expect(kept.length).toBeGreaterThan(0)
        expect(read.value.truncated).toBe(kept.length < meant.answers.length)
      }),
      { numRuns: runs },
    )
  })

  it('carry a question there and back', () => {
    const types = fc.constantFrom<TypeName>('A', 'AAAA', 'SRV', 'TXT', 'SOA', 'NS', 'PTR', 'ANY')
    const udpSize = fc.option(uint16, { nil: undefined })
    fc.assert(
      fc.property(uint16, name, types, fc.boolean(), udpSize, (id, asked, type, recursionDesired, size) => {
        const bytes = encodeQuestion({
          id,
          name: asked,
          type,
          recursionDesired,
          ...(size === undefined ? {} : { udpSize: size }),
        })
        const query = decodeQuery(bytes)
        if (!query.ok) throw new Error(query.error.kind)
        expect(query.value.id).toBe(id)
        expect(query.value.recursionDesired).toBe(recursionDesired)
        expect(query.value.question.name).toBe(asked)
        expect(query.value.edns?.udpSize).toBe(size)
        expect(dnsPacket.decode(Buffer.from(bytes)).questions?.[0]).toMatchObject({ name: shown(asked), type })
      }),
      { numRuns: runs },
    )
  })

  it('are made of any record that is called sendable', () => {
    const anyName = fc.oneof(
      name,
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({ maxLength: 300 }).map((s) => `${s}.`),
    )
    const any = fc.record({
      type: fc.constant('SRV' as const),
      name: anyName,
      ttl,
      priority: fc.constant(1),
      weight: fc.integer({ min: -1, max: 70_000 }),
      port: fc.integer({ min: -1, max: 70_000 }),
      target: anyName,
    })
    fc.assert(
      fc.property(response, any, (meant, odd) => {
        fc.pre(isSendable(odd))
        const read = decodeResponse(encodeResponse({ ...meant, answers: [odd] }, unlimited))
        if (!read.ok) throw new Error(read.error)
        expect(isName(odd.target)).toBe(true)
        expect(read.value.answers).toHaveLength(1)
      }),
      { numRuns: runs },
    )
  })
})

function shown(absolute: string): string {
  return absolute === '.' ? '.' : absolute.slice(0, -1)
}

/** Names are one whatever their case, and compression may show the case of an earlier one. */
function comparable(meant: DnsRecord): unknown {
  const lowered = Object.entries(meant).map(([key, value]) => [
    key,
    ['name', 'target', 'primary', 'admin'].includes(key) ? String(value).toLowerCase() : value,
  ])
  const out: Record<string, unknown> = Object.fromEntries(lowered)
  if (meant.type === 'TXT') out['texts'] = meant.texts.join('')
  if (meant.type === 'AAAA') out['address'] = new URL(`http://[${meant.address}]`).hostname
  return out
}

function expected(meant: DnsRecord): unknown {
  const head = { name: shown(meant.name).toLowerCase(), ttl: meant.ttl, type: meant.type }
  const lower = (absolute: string) => shown(absolute).toLowerCase()
  switch (meant.type) {
    case 'A':
      return { ...head, data: meant.address }
    case 'AAAA':
      return { ...head, data: new URL(`http://[${meant.address}]`).hostname }
    case 'TXT':
      return { ...head, data: meant.texts.join('') }
    case 'SRV': {
      const { priority, weight, port, target } = meant
      return { ...head, data: { priority, weight, port, target: lower(target) } }
    }
    case 'SOA': {
      const { primary, admin, serial, refresh, retry, expire, minimum } = meant
      return { ...head, data: { mname: lower(primary), rname: lower(admin), serial, refresh, retry, expire, minimum } }
    }
    default:
      return { ...head, data: lower(meant.target) }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what the other codec gives has a type of its own for each record
function seen(read: any): unknown {
  const head = { name: read.name.toLowerCase(), ttl: read.ttl, type: read.type }
  const lower = (value: string) => value.toLowerCase()
  if (read.type === 'AAAA') return { ...head, data: new URL(`http://[${read.data}]`).hostname }
  if (read.type === 'TXT') return { ...head, data: Buffer.concat(read.data).toString('utf8') }
  if (typeof read.data === 'string') return { ...head, data: lower(read.data) }
  const { mname, rname, target } = read.data
  const names = mname === undefined ? { target: lower(target) } : { mname: lower(mname), rname: lower(rname) }
  return { ...head, data: { ...read.data, ...names } }
}
