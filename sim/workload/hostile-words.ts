import type { GossipAddress, Message, QueryFilter, Versions } from '../../src/gossip/core/messages.ts'
import { ownVersions } from '../../src/gossip/core/messages.ts'
import { encodeCoordinate } from '../../src/gossip/wire/coordinate-payload.ts'
import { originCoordinate } from '../../src/model/coordinate.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** The names and addresses that a hostile member knows. */
export interface Surroundings {
  readonly self: { readonly name: string; readonly address: GossipAddress }
  /** Addresses of no member, on its own machine. */
  readonly elsewhere: GossipAddress
  /** Names and addresses of the agents. */
  readonly agents: readonly { readonly name: string; readonly address: GossipAddress }[]
}

/** Numbers above the limit for members, as the wire can carry them. */
const incarnationsBeyond = [2_147_483_649, 4_294_967_295]
const lamportsBeyond = [4_503_599_627_370_497, Number.MAX_SAFE_INTEGER]
/** A character of 4 bytes in UTF-8, and of two UTF-16 code units. */
const astral = '𝔡'
/** The longest name that a member may have has 128 bytes. */
const longestName = astral.repeat(32)
const strangeNames = [astral, longestName, `${longestName}x`, astral.repeat(60), '\u0000', '__proto__', 'é'.repeat(65)]
/** Versions of members that this release does not understand, or that do not understand what it speaks. */
const strangeVersions: readonly Partial<Versions>[] = [
  { delegateMin: 5, delegateSpoken: 5 },
  { delegateMax: 3, delegateSpoken: 3 },
  { delegateMax: 6, delegateSpoken: 6 },
  { protocolMin: 3, protocolSpoken: 3 },
  { protocolMax: 1, protocolSpoken: 1 },
  { protocolMax: 6, protocolSpoken: 6 },
]
const costly: QueryFilter = { kind: 'tag', tag: 'role', expression: '(a+)+$' }

/** Values for coordinates: seconds that no network takes, and values that are not numbers. */
const numbers = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308, 1e9, 0, -1]

/** The payload of an answer to a ping. */
export function hostilePlace(draws: Draws): Uint8Array {
  const any = (usual: number): number =>
    draws.below(2) === 0 ? usual : (numbers[draws.below(numbers.length)] ?? usual)
  const { vec, error, adjustment, height } = originCoordinate
  const bytes = encodeCoordinate({
    vec: vec.map(any),
    error: any(error),
    adjustment: any(adjustment),
    height: any(height),
  })
  const cut = draws.below(8) === 0 ? bytes.subarray(0, draws.below(bytes.length)) : bytes
  return Uint8Array.from(cut)
}

type Word = (around: Surroundings, draws: Draws) => Message

function oneOf<T>(items: readonly T[], draws: Draws): T {
  return items[draws.below(items.length)] as T
}

function anAgent({ agents, self }: Surroundings, draws: Draws): Surroundings['self'] {
  return draws.oneOf(agents, ({ name }) => name) ?? self
}

type Alive = Extract<Message, { readonly kind: 'alive' }>

function aliveAs(node: string, address: GossipAddress, incarnation: number, metaBytes: number): Alive {
  return { kind: 'alive', incarnation, node, address, meta: new Uint8Array(metaBytes), versions: ownVersions }
}

/**
 * Messages that no member may send: each is dropped, refuted or answered without harm. It sends nothing that the
 * protocol itself must believe: no claim of an agent's death with a possible incarnation, and no leave intent with a
 * current Lamport time.
 */
const words: readonly Word[] = [
  // It is a member, with as much metadata as a member may have.
  ({ self }) => aliveAs(self.name, self.address, 1, 512),
  ({ self }, draws) => ({
    ...aliveAs(`${self.name} of another release`, self.address, 1, 8),
    versions: { ...ownVersions, ...oneOf(strangeVersions, draws) },
  }),
  ({ self }, draws) => aliveAs(oneOf(strangeNames, draws), self.address, 1, 0),
  ({ self }, draws) => aliveAs(self.name, self.address, oneOf(incarnationsBeyond, draws), 0),
  ({ self }) => aliveAs(self.name, self.address, 2, 513),
  (around, draws) => aliveAs(anAgent(around, draws).name, around.self.address, 0, 0),
  (around, draws) => aliveAs(anAgent(around, draws).name, around.elsewhere, oneOf(incarnationsBeyond, draws), 0),
  (around, draws) => accusation('suspect', anAgent(around, draws).name, oneOf(strangeNames, draws), draws.below(4)),
  (around, draws) =>
    accusation('suspect', anAgent(around, draws).name, around.self.name, oneOf(incarnationsBeyond, draws)),
  (around, draws) =>
    accusation('dead', anAgent(around, draws).name, around.self.name, oneOf(incarnationsBeyond, draws)),
  (_, draws) => accusation('dead', oneOf(strangeNames, draws), 'x', oneOf(incarnationsBeyond, draws)),
  (around, draws) => {
    return {
      kind: 'leave-intent',
      lamport: oneOf(lamportsBeyond, draws),
      node: anAgent(around, draws).name,
      prune: true,
    }
  },
  (_, draws) => ({ kind: 'leave-intent', lamport: 0, node: oneOf(strangeNames, draws), prune: false }),
  (_, draws) => ({ kind: 'join-intent', lamport: 1 + draws.below(3), node: oneOf(strangeNames, draws) }),
  (_, draws) => ({ kind: 'ack', sequence: draws.below(4_294_967_296), payload: hostilePlace(draws) }),
  (_, draws) => ({ kind: 'nack', sequence: draws.below(4_294_967_296) }),
  (around, draws) => ({
    kind: 'ping',
    sequence: draws.below(9),
    node: oneOf([anAgent(around, draws).name, '', 'x'], draws),
  }),
  (around, draws) => {
    const target = oneOf([around.elsewhere, anAgent(around, draws).address], draws)
    return { kind: 'indirect-ping', sequence: draws.below(9), target, node: oneOf(strangeNames, draws), nack: true }
  },
  (around, draws) => ({ kind: 'relay', to: aimed(around, draws), response: response(draws) }),
  (_, draws) => response(draws),
  (around, draws) => ({
    kind: 'query',
    lamport: oneOf([1, 2, ...lamportsBeyond], draws),
    id: draws.below(4_294_967_296),
    from: oneOf([around.self.address, around.elsewhere], draws),
    filters: draws.below(2) === 0 ? [] : [costly],
    flags: draws.below(4),
    relayFactor: 255,
    timeoutMs: 1_000,
    name: oneOf(['q', astral, 'q'.repeat(300)], draws),
    payload: new Uint8Array(8),
  }),
  (_, draws) => ({
    kind: 'user-event',
    lamport: oneOf([0, 1, ...lamportsBeyond], draws),
    name: oneOf([astral, 'e'.repeat(300)], draws),
    payload: new Uint8Array(draws.below(300)),
    coalesce: draws.below(2) === 0,
  }),
]

/**
 * The destination of an answer that others are asked to relay: an address of no member, or a port beside a member's.
 */
function aimed(around: Surroundings, draws: Draws): GossipAddress {
  const { host, port } = anAgent(around, draws).address
  return oneOf([around.elsewhere, { host, port: port + 400 }], draws)
}

function accusation(kind: 'suspect' | 'dead', node: string, from: string, incarnation: number): Message {
  return { kind, incarnation, node, from }
}

function response(draws: Draws): Extract<Message, { readonly kind: 'query-response' }> {
  const [lamport, id] = [draws.below(4), draws.below(4)]
  return {
    kind: 'query-response',
    lamport,
    id,
    from: oneOf(strangeNames, draws),
    flags: draws.below(2),
    payload: new Uint8Array(4),
  }
}

export function hostileWord(around: Surroundings, draws: Draws): Message {
  return oneOf(words, draws)(around, draws)
}
