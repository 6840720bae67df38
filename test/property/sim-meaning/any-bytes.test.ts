import { afterAll, describe, expect, it } from 'vitest'
import { Meanings } from '../../../sim/meaning/meanings.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Meaning, meaningSchema } from '../../../sim/report/meaning.ts'
import { fc } from '../../fast-check.ts'
import {
  batch,
  dnsAnswer,
  dnsQuestion,
  exchange,
  framesOf,
  gossipMessages,
  httpAnswer,
  httpRequest,
  packetOf,
  rpcBack,
  rpcThere,
  traced,
} from '../../unit/sim-meaning/packets.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 1_000
const platform = createPlatform()
afterAll(() => platform.close())

const sound = [
  packetOf(gossipMessages),
  exchange,
  framesOf(rpcThere),
  framesOf(rpcBack),
  httpRequest,
  httpAnswer,
  dnsQuestion,
  dnsAnswer,
  batch,
]

/** Bytes of a sound message of which some are others, or bytes that are nothing at all. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .record({
      from: fc.constantFrom(...sound),
      changes: fc.array(fc.record({ at: fc.nat(), to: fc.nat({ max: 255 }) }), { maxLength: 6 }),
      cut: fc.nat(),
    })
    .map(({ from, changes, cut }) => {
      const changed = from.slice()
      for (const { at, to } of changes) changed[at % changed.length] = to
      return cut % 3 === 0 ? changed.subarray(0, cut % changed.length) : changed
    }),
)
const port = fc.constantFrom(8300, 8301, 8302, 8500, 8600, 9000)
const datagram = fc.record({ port, bytes }).map((of) => [traced('datagram', of.port, of.bytes)])
const written = bytes.map((each) => [traced('diskWrite', 0, each)])
const stream = fc
  .record({ port, pieces: fc.array(fc.record({ bytes, back: fc.boolean() }), { minLength: 1, maxLength: 5 }) })
  .map((of) => of.pieces.map((piece) => traced('segment', of.port, piece.bytes, 1, piece.back)))

describe('the meaning of any bytes', () => {
  it('is one of the schema, and reading them never throws', () => {
    let unknown = 0
    let read = 0
    fc.assert(
      fc.property(fc.oneof(datagram, written, stream), (all) => {
        const meanings = new Meanings(platform)
        for (const one of all) {
          const means: readonly Meaning[] = meanings.of(one)
          for (const meaning of means) {
            const judged = meaningSchema.safeParse(meaning)
            if (!judged.success) expect.fail(`${JSON.stringify(meaning)}: ${judged.error.message}`)
            if (meaning.layer === 'unknown') unknown++
            else read++
          }
        }
      }),
      { numRuns: runs },
    )
    // Both happen, so that the test says something of either.
    expect(Math.min(unknown, read)).toBeGreaterThan(100)
  })
})
