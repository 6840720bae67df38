import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readRequest } from '../../../src/agent/requests/request.ts'
import { pack, unpack } from '../../../src/base/msgpack.ts'
import { byteText } from '../../../src/features/contract/fields.ts'
import { blockingWaitMaxMs } from '../../../src/model/limits.ts'
import { fc } from '../../fast-check.ts'

/** The same, as a schema says it. */
const requestSchema = z.object({
  args: z.unknown(),
  read: z
    .object({
      consistency: z.enum(['default', 'consistent', 'stale']),
      minIndex: z.number().nonnegative(),
      waitMs: z.number().min(0).max(blockingWaitMaxMs),
      maxStaleMs: z.number().nonnegative(),
      datacenter: z.string().max(128),
    })
    .optional(),
  forward: z.boolean().optional(),
  token: z.string().max(4_096).optional(),
  identity: z.object({ origin: byteText.min(1).max(128), sequence: z.number().int().nonnegative() }).optional(),
})

const anything = fc.oneof(
  fc.anything(),
  fc.constantFrom(0, -0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, '', 'x'.repeat(129), true, null),
  fc.constantFrom(undefined, [], {}, new Uint8Array(3)),
)
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.nat() },
  fc.double(),
  fc.constantFrom(blockingWaitMaxMs, blockingWaitMaxMs + 1),
)
/** Mostly right, so that what is wrong comes one at a time. */
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything })

const read = fc.record(
  {
    consistency: mostly(fc.constantFrom('default', 'consistent', 'stale')),
    minIndex: mostly(amount),
    waitMs: mostly(amount),
    maxStaleMs: mostly(amount),
    datacenter: mostly(fc.string({ maxLength: 130 })),
    more: fc.nat(),
  },
  { requiredKeys: ['consistency', 'minIndex', 'waitMs', 'maxStaleMs'] },
)
const identity = fc.record(
  {
    origin: mostly(fc.oneof(fc.string({ minLength: 1, maxLength: 130 }), fc.constantFrom('\u0100/1', 'é/1'))),
    sequence: mostly(amount),
    more: fc.nat(),
  },
  { requiredKeys: ['origin'] },
)
const body = fc.record(
  {
    args: anything,
    read: mostly(read),
    forward: mostly(fc.boolean()),
    identity: mostly(identity),
    token: mostly(fc.oneof(fc.string(), fc.constantFrom('x'.repeat(4_096), 'x'.repeat(4_097)))),
    more: anything,
  },
  { requiredKeys: [] },
)

describe('a request between agents, read by hand', () => {
  it('names its write so that a snapshot with it can be read again', () => {
    const identityOf = (origin: string): unknown =>
      readRequest({ args: {}, identity: { origin, sequence: 1 } })?.identity
    expect([identityOf('id/\u0100'), identityOf('id/é')]).toEqual([undefined, { origin: 'id/é', sequence: 1 }])
  })

  it('is what a schema takes, and has the same members', () => {
    let taken = 0
    fc.assert(
      fc.property(mostly(body), (given) => {
        const expected = requestSchema.safeParse(given)
        const found = readRequest(given)
        expect(found !== undefined).toBe(expected.success)
        if (found === undefined || !expected.success) return
        taken++
        const { args, read, forward, identity, token } = expected.data
        expect(found).toEqual({ args, read, forward, identity, token })
      }),
      { numRuns: process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 1500 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  it('is read from what was sent', () => {
    const sent = {
      args: { key: 'a' },
      read: { consistency: 'stale', minIndex: 2 ** 40, waitMs: 0.5, maxStaleMs: 0, datacenter: '' },
      forward: true,
      identity: { origin: 'n/1', sequence: 7 },
      token: 'secret',
    }
    const received = unpack(pack(sent))
    expect(received.ok && readRequest(received.value)).toEqual(sent)
  })
})
