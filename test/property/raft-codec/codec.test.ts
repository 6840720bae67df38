import { describe, expect, it } from 'vitest'
import { pack } from '../../../src/base/msgpack.ts'
import { decodeMessage, encodeMessage, MessageEncoder, messageEntriesMax } from '../../../src/raft/codec.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Server } from '../../../src/raft/core/types.ts'
import { fc } from '../../fast-check.ts'
import { positioned } from '../../tools/plain.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 50_000 : 250

const count = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat().map((value) => value % (Number.MAX_SAFE_INTEGER - 10_000)),
)
const flag = fc.boolean()
const bytes = fc.uint8Array({ maxLength: 300 })

const servers: fc.Arbitrary<Server[]> = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 5 })
  .map((ids) => {
    const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1))
    return sorted.map((id, i) => ({ id, address: `10.0.0.${i}:8300`, suffrage: i % 2 === 0 ? 'voter' : 'nonvoter' }))
  })

const meta = fc.record({
  index: count,
  term: count,
  configuration: fc.record({ servers }),
  configurationIndex: count,
})

const appendRequest = fc
  .record({
    kind: fc.constant('append-request' as const),
    term: count,
    previousIndex: count,
    previousTerm: count,
    commit: count,
    round: count,
    entries: fc.array(
      fc.record({ term: count, kind: fc.constantFrom('command', 'no-op', 'configuration'), payload: bytes }),
      { maxLength: 6 },
    ),
  })
  .map((request) => ({
    ...request,
    entries: request.entries.map((entry, i) => ({ ...entry, index: request.previousIndex + 1 + i })),
  }))

const message = fc.oneof(
  fc.record({
    kind: fc.constant('vote-request' as const),
    pre: flag,
    term: count,
    lastIndex: count,
    lastTerm: count,
    transfer: flag,
  }),
  fc.record({ kind: fc.constant('vote-response' as const), pre: flag, term: count, granted: flag }),
  appendRequest,
  fc.record({
    kind: fc.constant('append-response' as const),
    term: count,
    success: flag,
    index: count,
    hintTerm: count,
    round: count,
  }),
  fc.record({
    kind: fc.constant('snapshot-chunk' as const),
    term: count,
    meta,
    sizeBytes: count,
    offset: count,
    bytes,
    round: count,
  }),
  fc.record({
    kind: fc.constant('snapshot-response' as const),
    term: count,
    index: count,
    nextOffset: count,
    installed: flag,
    round: count,
  }),
  fc.record({ kind: fc.constant('timeout-now' as const), term: count }),
) as fc.Arbitrary<RaftMessage>

describe('the codec of messages between servers', () => {
  it('gives every message back', () => {
    fc.assert(
      fc.property(message, (sent) => {
        const decoded = decodeMessage(encodeMessage(sent))
        expect(decoded).toEqual({ ok: true, value: sent })
      }),
      { numRuns: runs },
    )
  })

  it('says the same of a message whatever one encoder said before', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (all, order) => {
          const encoder = new MessageEncoder()
          // The same ones again and again, as copies too: a follower's append is an object of its own.
          for (const at of order) {
            const one = all[at % all.length] as RaftMessage
            expect(encoder.encode(at % 2 === 0 ? one : { ...one })).toEqual(encodeMessage(one))
          }
        },
      ),
      { numRuns: runs },
    )
  })

  it('keeps nothing of the bytes that it was given', () => {
    fc.assert(
      fc.property(appendRequest, (sent) => {
        const encoded = encodeMessage(positioned<RaftMessage>(sent))
        const decoded = decodeMessage(encoded)
        encoded.fill(0)
        expect(decoded).toEqual({ ok: true, value: sent })
      }),
      { numRuns: runs },
    )
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
        expect(typeof decodeMessage(garbage).ok).toBe('boolean')
      }),
      { numRuns: runs },
    )
  })

  it('gives a message of the right shape or none when some bytes are not as they were sent', () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.integer({ min: 1, max: 255 }), (sent, place, change) => {
        const encoded = encodeMessage(sent)
        const at = place % encoded.length
        encoded[at] = (encoded[at] as number) ^ change
        const decoded = decodeMessage(encoded)
        if (decoded.ok) expect(decodeMessage(encodeMessage(decoded.value))).toEqual(decoded)
      }),
      { numRuns: runs },
    )
  })

  it.each([
    ['a number that is none', [1, 7, -1]],
    ['a fraction', [1, 7, 1.5]],
    ['a number beyond what is exact', [1, 7, 2 ** 60]],
    ['a bigint', [1, 7, 2n ** 63n]],
    ['a text for a number', [1, 7, '1']],
    ['a field too many', [1, 7, 1, 1]],
    ['an unknown kind', [1, 99, 1]],
    ['an unknown format', [2, 7, 1]],
    ['something that is no array', { term: 1 }],
    ['an entry of an unknown kind', [1, 3, 1, 0, 0, 0, 1, [[1, 9, new Uint8Array(1)]]]],
    ['an entry without payload', [1, 3, 1, 0, 0, 0, 1, [[1, 0, null]]]],
    ['a payload that is text', [1, 3, 1, 0, 0, 0, 1, [[1, 0, 'text']]]],
    ['an index beyond what is exact', [1, 3, 1, Number.MAX_SAFE_INTEGER, 0, 0, 1, [[1, 0, new Uint8Array(1)]]]],
    [
      'more entries than are ever sent',
      [1, 3, 1, 0, 0, 0, 1, Array(messageEntriesMax + 1).fill([1, 1, new Uint8Array()])],
    ],
    ['a chunk with a configuration that is none', [1, 5, 1, [1, 1, new Uint8Array(3), 1], 10, 0, new Uint8Array(1), 1]],
  ])('refuses %s', (_, fields) => {
    expect(decodeMessage(pack(fields)).ok).toBe(false)
  })
})
