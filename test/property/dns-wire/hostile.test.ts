import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/base/bytes.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'
import { fc } from '../../fast-check.ts'
import { CatalogWorld } from '../../unit/dns/catalog-world.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
const packets = long ? 1_000_000 : 2_000
/** A million take some minutes. */
const longMs = long ? 3_600_000 : 10_000

/** Questions of every kind, as clients send them. */
const questions = [
  encodeQuestion({ id: 1, name: 'web.service.svc.', type: 'A' }),
  encodeQuestion({ id: 2, name: 'web.service.svc.', type: 'SRV', udpSize: 1232 }),
  encodeQuestion({ id: 3, name: 'd1.node.dc1.svc.', type: 'ANY', udpSize: 4096 }),
  encodeQuestion({ id: 4, name: '_web._tcp.service.svc.', type: 'SRV' }),
  encodeQuestion({ id: 5, name: '1.0.5.10.in-addr.arpa.', type: 'PTR' }),
  encodeQuestion({ id: 6, name: '0a050001.addr.dc1.svc.', type: 'AAAA' }),
  encodeQuestion({ id: 7, name: '.', type: 'NS' }),
  withSubnet(encodeQuestion({ id: 8, name: 'svc.', type: 'SOA', udpSize: 512 })),
]

/** An OPT record at the end gets the option that carries the asker's network. */
function withSubnet(question: Uint8Array): Uint8Array {
  const option = [0, 8, 0, 7, 0, 1, 24, 0, 192, 0, 2]
  const out = Uint8Array.from([...question, ...option])
  out[question.length - 1] = option.length
  return out
}

type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'set'; readonly at: number; readonly value: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'counts'; readonly value: number }
  | { readonly kind: 'repeat' }

const place = fc.nat({ max: 0xffff })
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat({ max: 7 }) }),
  fc.record({
    kind: fc.constant('set' as const),
    at: place,
    value: fc.constantFrom(0, 1, 0x2e, 0x3f, 0x40, 0x80, 0xc0, 0xff),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('insert' as const), at: place, bytes: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant('counts' as const), value: fc.constantFrom(0, 1, 5, 9, 0xff) }),
  fc.record({ kind: fc.constant('repeat' as const) }),
)

const packet = fc
  .tuple(fc.constantFrom(...questions), fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([question, mutations]) => mutations.reduce(mutated, question))

function mutated(bytes: Uint8Array, mutation: Mutation): Uint8Array {
  const out = [...bytes]
  const at = 'at' in mutation ? mutation.at % (bytes.length + 1) : 0
  switch (mutation.kind) {
    case 'flip':
      out[at] = (out[at] ?? 0) ^ (1 << mutation.bit)
      break
    case 'set':
      out[at] = mutation.value
      break
    case 'cut':
      out.length = at
      break
    case 'insert':
      out.splice(at, 0, ...mutation.bytes)
      break
    case 'counts':
      for (let i = 4; i < 12; i++) out[i] = mutation.value
      break
    case 'repeat':
      out.push(...bytes.subarray(12))
      break
  }
  return Uint8Array.from(out)
}

describe('packets from anyone', () => {
  it(
    'get an answer to what they ask, FORMERR, or silence',
    async () => {
      const world = new CatalogWorld()
      const service = { service: 'web', tags: ['v1'], port: 8001 }
      world.place({ node: 'd1', address: '10.5.0.1', meta: [['rack', 'r7']], service })
      const seen = { answered: 0, known: 0, refused: 0, silent: 0 }
      await fc.assert(
        fc.asyncProperty(packet, fc.constantFrom('udp', 'tcp'), async (bytes, transport) => {
          const sent = Uint8Array.from(bytes)
          const query = decodeQuery(bytes)
          const knownBefore = world.known
          const answer = await world.send(bytes, transport)
          if (world.known > knownBefore) {
            seen.known++
            expect(answer).toEqual(await world.sendAnew(bytes, transport))
          }
          if (!equalBytes(bytes, sent)) throw new Error('the packet was written to')
          if (!query.ok && query.error.kind === 'unanswerable') {
            seen.silent++
            expect(answer).toBeUndefined()
            return
          }
          const response = answer === undefined ? undefined : decodeResponse(answer)
          if (answer === undefined || response?.ok !== true) throw new Error('no answer that can be read')
          if (!equalBytes(answer.subarray(0, 2), bytes.subarray(0, 2))) throw new Error('an answer to another question')
          if (query.ok) seen.answered++
          else {
            seen.refused++
            expect(response.value.rcode).toBe('FORMERR')
            expect(answer).toHaveLength(12)
          }
          if (transport === 'udp' && query.ok) {
            const offered = Math.min(8_192, query.value.edns?.udpSize ?? 0)
            expect(answer.length).toBeLessThanOrEqual(Math.max(512, offered))
          }
        }),
        { numRuns: packets },
      )
      // Each of them is really met.
      for (const [what, times] of Object.entries(seen)) expect([what, times > packets / 100]).toEqual([what, true])
    },
    longMs,
  )

  it('are read by the client as an answer or not at all', () => {
    const answer = Uint8Array.from(encodeQuestion({ id: 9, name: 'web.service.svc.', type: 'A', udpSize: 512 }))
    answer[2] = 0x84
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        fc.uint8Array({ maxLength: 60 }),
        (mutations, tail) => {
          const bytes = mutations.reduce(mutated, Uint8Array.from([...answer, ...tail]))
          const read = decodeResponse(bytes)
          expect(read.ok || read.error === 'malformed').toBe(true)
        },
      ),
      { numRuns: packets },
    )
  })

  it.each([
    ['counts of 65,535 and nothing behind them', [1, 0, 255, 255, 255, 255, 255, 255, 255, 255]],
    ['a name that points to itself', [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1]],
    ['a label of a reserved kind', [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 1, 0, 1]],
    ['a dot within a label', [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 97, 0x2e, 98, 0, 0, 1, 0, 1]],
    ['two OPT records', [1, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1, ...opt(), ...opt()]],
    ['an option longer than its record', [1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, ...opt([0, 3, 0, 9, 1])]],
    ['no question', [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ])('get FORMERR with their own number: %s', async (_what, rest) => {
    const answer = await new CatalogWorld().send(Uint8Array.from([0xab, 0xcd, ...rest]))
    expect(answer).toEqual(Uint8Array.from([0xab, 0xcd, 0x81, 0x01, 0, 0, 0, 0, 0, 0, 0, 0]))
  })

  it('are answered with silence when they are answers themselves, or less than a header', async () => {
    const world = new CatalogWorld()
    expect(await world.send(Uint8Array.from([0, 1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeUndefined()
    expect(await world.send(new Uint8Array(11))).toBeUndefined()
    expect(await world.send(new Uint8Array(0))).toBeUndefined()
  })
})

function opt(options: readonly number[] = []): number[] {
  return [0, 0, 41, 4, 0xd0, 0, 0, 0, 0, 0, options.length, ...options]
}
