import type {
  FullState,
  GossipAddress,
  Message,
  NodeState,
  QueryFilter,
  Versions,
} from '../../../src/gossip/core/messages.ts'
import { ipText } from '../../../src/gossip/wire/ip-bytes.ts'
import { fc } from '../../fast-check.ts'

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff })
const lamport = fc.maxSafeNat()
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
)
const byte = fc.integer({ min: 0, max: 255 })

const host = fc
  .oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  .map((bytes) => ipText(bytes) as string)
const address: fc.Arbitrary<GossipAddress> = fc.record({ host, port: fc.integer({ min: 1, max: 0xffff }) })

const versions: fc.Arbitrary<Versions> = fc.record({
  protocolMin: byte,
  protocolMax: byte,
  protocolSpoken: byte,
  delegateMin: byte,
  delegateMax: byte,
  delegateSpoken: byte,
})
const meta = fc.uint8Array({ maxLength: 512 })

function kind<K extends Message['kind']>(value: K): fc.Arbitrary<K> {
  return fc.constant(value)
}

const payload = fc.uint8Array({ maxLength: 300 })

const filter: fc.Arbitrary<QueryFilter> = fc.oneof(
  fc.record({ kind: fc.constant('nodes' as const), names: fc.array(name, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('tag' as const), tag: name, expression: fc.string({ maxLength: 20 }) }),
  fc.record({
    kind: fc.constant('unknown' as const),
    bytes: fc.uint8Array({ maxLength: 20 }).map((bytes) => Uint8Array.of(9, ...bytes)),
  }),
)

const response = fc.record({
  kind: kind('query-response'),
  lamport,
  id: uint32,
  from: name,
  flags: uint32,
  payload,
})

export const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ kind: kind('ping'), sequence: uint32, node: name }),
  fc.record({ kind: kind('indirect-ping'), sequence: uint32, target: address, node: name, nack: fc.boolean() }),
  fc.record({ kind: kind('ack'), sequence: uint32, payload: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ kind: kind('nack'), sequence: uint32 }),
  fc.record({ kind: kind('suspect'), incarnation: uint32, node: name, from: name }),
  fc.record({ kind: kind('dead'), incarnation: uint32, node: name, from: name }),
  fc.record({ kind: kind('alive'), incarnation: uint32, node: name, address, meta, versions }),
  fc.record({ kind: kind('leave-intent'), lamport, node: name, prune: fc.boolean() }),
  fc.record({ kind: kind('join-intent'), lamport, node: name }),
  fc.record({ kind: kind('user-event'), lamport, name, payload, coalesce: fc.boolean() }),
  fc.record({
    kind: kind('query'),
    lamport,
    id: uint32,
    from: address,
    filters: fc.array(filter, { maxLength: 3 }),
    flags: uint32,
    relayFactor: byte,
    timeoutMs: fc.nat({ max: 1_000_000 }),
    name,
    payload,
  }),
  response,
  fc.record({ kind: kind('relay'), to: address, response }),
)

const nodeState: fc.Arbitrary<NodeState> = fc.record({
  node: name,
  address,
  meta,
  incarnation: uint32,
  state: fc.constantFrom('alive', 'suspect', 'dead'),
  versions,
})

export const fullState: fc.Arbitrary<FullState> = fc.record({
  nodes: fc.array(nodeState, { maxLength: 40 }),
  join: fc.boolean(),
  lamport,
  statusTimes: fc.array(fc.tuple(name, lamport), { maxLength: 40 }),
  left: fc.array(name, { maxLength: 40 }),
  eventLamport: lamport,
  queryLamport: lamport,
  events: fc.array(
    fc.record({ lamport, events: fc.array(fc.record({ name, payload }), { minLength: 1, maxLength: 3 }) }),
    { maxLength: 5 },
  ),
})
