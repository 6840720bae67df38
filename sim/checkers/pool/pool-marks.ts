import type { GossipAddress, Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore, PoolObserver } from '../../../src/gossip/pool.ts'
import { type Reach, rareStates, toldStates } from '../rare-states.ts'

export const memberMarks = rareStates({
  'dead member came back': 'a member that was marked failed was alive again, with a higher incarnation',
  'exchange brought members back':
    'one exchange of states brought back two failed members or more, as when a partition heals',
  'indirect probe saved a member': 'a member that did not answer a ping was reached by way of another one',
  'agent doubted itself': 'the local health of an agent was bad enough to make its probes four times as slow',
  'failed member forgotten': 'a member that had failed or left long before was forgotten',
  'server of another datacenter failed': 'a server marked one of another datacenter as failed',
})

export const poolTold = toldStates({
  'suspicion refuted': [
    'memberlist: Refuting a suspect message',
    'a member learned that it was suspected, and refuted it',
  ],
  'death refuted': [
    'memberlist: Refuting a dead message',
    'a member learned that it was declared dead, and refuted it',
  ],
  'stream ping saved a member': [
    'memberlist: Was able to connect but other probes failed, network may be misconfigured',
    'a member that no datagram reached answered a ping over a stream',
  ],
  'name conflict': [
    'memberlist: Node name conflicts with another node. Names must be unique!',
    'two agents claimed one name in a pool',
  ],
  'packet of an unknown key': ['gossip.dropped.sealed', 'a packet came that no key of the keyring decrypts'],
  'incarnation out of bounds': [
    'gossip.dropped.number',
    'a claim with an incarnation that no member can have was dropped',
  ],
  'unfit member refused': [
    'gossip.dropped.refused',
    'a member was refused, because its protocol does not fit the pool',
  ],
  'conflicting claim dropped': ['gossip.dropped.conflict', 'a claim to the name of another agent was dropped'],
  'garbled packet dropped': ['gossip.dropped.packet', 'a packet of gossip could not be read'],
})

/** Local health from which on a probe takes four times as long. */
const badHealth = 3
/** Maximum number of indirect pings that are remembered. */
const indirectMax = 64

interface MarkedParts {
  /** Receives every step first. */
  readonly next: PoolObserver
  readonly reach: Reach<keyof typeof memberMarks.marks>
  readonly pool: 'lan' | 'wan'
  /** Members joined, left, or changed. */
  readonly onChanged: () => void
}

/** Observes rare states in what one process does as a member of a pool, and passes each step on. */
export class MarkedMember implements PoolObserver {
  readonly #next: PoolObserver
  readonly #reach: Reach<keyof typeof memberMarks.marks>
  readonly #isWan: boolean
  readonly #onChanged: () => void
  /** Members that are considered failed. */
  readonly #failed = new Set<string>()
  /** The target of each indirect ping, by sequence number. */
  readonly #indirect = new Map<number, GossipAddress>()

  constructor({ next, reach, pool, onChanged }: MarkedParts) {
    this.#next = next
    this.#reach = reach
    this.#isWan = pool === 'wan'
    this.#onChanged = onChanged
  }

  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    this.#next.stepped(core, event, effects)
    if (this.#indirect.size > 0 && event.kind === 'packet-received') {
      for (const message of event.messages) this.#answered(message, event.from)
    }
    for (const effect of effects) {
      if (effect.kind === 'send') this.#sends(effect.messages)
      else if (effect.kind === 'members-changed') this.#changed(effect.changes, event)
      else if (effect.kind === 'health' && effect.score >= badHealth) this.#reach('agent doubted itself')
    }
  }

  #sends(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.kind !== 'indirect-ping') continue
      if (this.#indirect.size >= indirectMax) this.#indirect.clear()
      this.#indirect.set(message.sequence, message.target)
    }
  }

  #answered(message: Message, from: GossipAddress): void {
    if (message.kind !== 'ack') return
    const target = this.#indirect.get(message.sequence)
    if (target === undefined) return
    this.#indirect.delete(message.sequence)
    if (target.host !== from.host || target.port !== from.port) this.#reach('indirect probe saved a member')
  }

  #changed(changes: Extract<GossipEffect, { readonly kind: 'members-changed' }>['changes'], event: GossipEvent): void {
    let back = 0
    for (const { kind, member } of changes) {
      if (kind === 'failed') this.#failed.add(member.name)
      else if (this.#failed.delete(member.name) && kind === 'joined') back++
      if (kind === 'failed' && this.#isWan) this.#reach('server of another datacenter failed')
      if (kind === 'reaped') this.#reach('failed member forgotten')
    }
    if (back > 0) this.#reach('dead member came back')
    this.#onChanged()
    if (back > 1 && event.kind === 'state-received') this.#reach('exchange brought members back')
  }
}
