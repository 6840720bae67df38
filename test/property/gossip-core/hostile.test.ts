import { expect, it } from 'vitest'
import { fullState } from '../../../src/gossip/core/answers.ts'
import { membersMax, packetBytesDefault } from '../../../src/gossip/core/bounds.ts'
import type { FullState, Message, QueryFilter } from '../../../src/gossip/core/messages.ts'
import { asksMax } from '../../../src/gossip/core/queries.ts'
import { createGossip, recentIntentsMax, relaysMax } from '../../../src/gossip/core/state.ts'
import { step } from '../../../src/gossip/core/step.ts'
import type { GossipEvent } from '../../../src/gossip/core/types.ts'
import { fc } from '../../fast-check.ts'
import { Dice } from '../../tools/dice.ts'
import { sizeOf, worldTiming, worldVersions } from './agent.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 5_000 : 50

const number = fc.oneof(
  fc.nat({ max: 4 }),
  fc.constantFrom(2_147_483_647, 2_147_483_648, 2_147_483_649, 4_294_967_295, 4_294_967_296, -1, 0.5, Number.NaN),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, 4_503_599_627_370_496, Number.POSITIVE_INFINITY),
)
const name = fc.oneof(fc.constantFrom('me', 'a', 'b', 'c', 'd'), fc.constantFrom('', 'x'.repeat(129), '__proto__'))
const address = fc.record({
  host: fc.constantFrom('10.0.0.1', '10.0.0.2', '', 'h'.repeat(100)),
  port: fc.constantFrom(8_301, 8_302, 0, -1, 70_000),
})
const meta = fc.constantFrom(0, 1, 512, 513).map((length) => new Uint8Array(length))
const versions = fc.constantFrom(worldVersions, { ...worldVersions, protocolMax: 1, protocolSpoken: 9 })

const filter: fc.Arbitrary<QueryFilter> = fc.oneof(
  fc.record({ kind: fc.constant('nodes' as const), names: fc.array(fc.constantFrom('me', 'a'), { maxLength: 2 }) }),
  fc.record({ kind: fc.constant('tag' as const), tag: name, expression: fc.constantFrom('(a+)+$', '*', '', '(') }),
  fc.record({ kind: fc.constant('unknown' as const), bytes: meta }),
)

const response = fc.record({
  kind: fc.constant('query-response' as const),
  lamport: number,
  id: number,
  from: name,
  flags: fc.nat({ max: 3 }),
  payload: meta,
})

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ kind: fc.constant('ping' as const), sequence: number, node: name }),
  fc.record({
    kind: fc.constant('indirect-ping' as const),
    sequence: number,
    target: address,
    node: name,
    nack: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('ack' as const), sequence: number, payload: meta }),
  fc.record({ kind: fc.constant('nack' as const), sequence: number }),
  fc.record({
    kind: fc.constantFrom('suspect' as const, 'dead' as const),
    incarnation: number,
    node: name,
    from: name,
  }),
  fc.record({ kind: fc.constant('alive' as const), incarnation: number, node: name, address, meta, versions }),
  fc.record({ kind: fc.constant('leave-intent' as const), lamport: number, node: name, prune: fc.boolean() }),
  fc.record({ kind: fc.constant('join-intent' as const), lamport: number, node: name }),
  fc.record({ kind: fc.constant('user-event' as const), lamport: number, name, payload: meta, coalesce: fc.boolean() }),
  fc.record({
    kind: fc.constant('query' as const),
    lamport: number,
    id: number,
    from: address,
    filters: fc.array(filter, { maxLength: 2 }),
    flags: fc.nat({ max: 3 }),
    relayFactor: fc.nat({ max: 255 }),
    timeoutMs: number,
    name,
    payload: meta,
  }),
  response,
  fc.record({ kind: fc.constant('relay' as const), to: address, response }),
)

const state: fc.Arbitrary<FullState> = fc.record({
  nodes: fc.array(
    fc.record({
      node: name,
      address,
      meta,
      incarnation: number,
      state: fc.constantFrom('alive' as const, 'suspect' as const, 'dead' as const),
      versions,
    }),
    { maxLength: 5 },
  ),
  join: fc.boolean(),
  lamport: number,
  statusTimes: fc.array(fc.tuple(name, number), { maxLength: 5 }),
  left: fc.array(name, { maxLength: 5 }),
  eventLamport: number,
  queryLamport: number,
  events: fc.array(
    fc.record({ lamport: number, events: fc.array(fc.record({ name, payload: meta }), { maxLength: 2 }) }),
    { maxLength: 3 },
  ),
})

const from = { host: '10.0.0.9', port: 8_301 }
const event: fc.Arbitrary<GossipEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(message, { maxLength: 4 })
      .map((messages) => ({ kind: 'packet-received' as const, from, messages })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(state, fc.constantFrom('request' as const, 'answer' as const, 'join-answer' as const))
      .map(([of, how]) => ({ kind: 'state-received' as const, how, from, state: of })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('probe', 'gossip', 'push-pull', 'reconnect', 'reap', 'suspicion', 'relay', 'leave', 'query')
      .map((timer) => ({ kind: 'timer-fired', timer }) as GossipEvent),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('force-leave-requested' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('meta-changed' as const), meta }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('q', 'r')
      .map((name) => ({ token: 1, name, payload: new Uint8Array(3), filters: [], relayFactor: 2, timeoutMs: 5_000 }))
      .map((request) => ({ kind: 'query-asked' as const, request })),
  },
)

it('whatever arrives, and however late timers fire, nothing throws, bounds hold and only sound claims are made', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.nat({ max: 40_000 })), { minLength: 20, maxLength: 120 }), (events) => {
      const gossip = createGossip({
        name: 'me',
        address: { host: '10.0.0.3', port: 8_301 },
        meta: new Uint8Array(1),
        versions: worldVersions,
        timing: worldTiming,
        sizeOf,
        packetBytesMax: packetBytesDefault,
        incarnation: 0,
      })
      const dice = new Dice(1)
      let nowMs = 0
      step(gossip, { kind: 'started' }, nowMs, dice)
      for (const [one, laterMs] of events) {
        nowMs += laterMs
        step(gossip, one, nowMs, dice)
        for (const node of fullState(gossip, false).nodes) {
          expect(node.node.length).toBeGreaterThan(0)
          expect(Number.isInteger(node.incarnation) && node.incarnation <= 2_147_483_648).toBe(true)
          expect(node.meta.length).toBeLessThanOrEqual(512)
        }
        expect(gossip.self.state).toBe('alive')
        expect(gossip.members.size).toBeLessThanOrEqual(membersMax)
        expect(gossip.asks.size).toBeLessThanOrEqual(asksMax)
        expect(gossip.news.size).toBeLessThanOrEqual(1_024)
        expect(gossip.events.all().length).toBeLessThanOrEqual(512)
        expect(gossip.relays.size).toBeLessThanOrEqual(relaysMax)
        expect(gossip.recentIntents.size).toBeLessThanOrEqual(recentIntentsMax)
        expect(gossip.suspects.size).toBeLessThan(gossip.members.size)
        expect(new Set(gossip.roster).size).toBe(gossip.roster.length)
      }
    }),
    { numRuns: runs },
  )
})
