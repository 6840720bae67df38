import { itemAt } from '../../../src/base/items.ts'
import type { FullState, Message } from '../../../src/gossip/core/messages.ts'
import type { Claim, NodeEvent, Order, Protocol, Said, Word } from '../protocol.ts'
import type { GossipBounds, GossipUnderSearch } from './bounds.ts'
import { lawsOf } from './laws.ts'
import {
  addressOf,
  fingerprintOf,
  type GossipContent,
  memberNames,
  SearchedMember,
  type SeenMember,
  seenOf,
} from './member.ts'

/** A member starts anew without any state. */
type Nothing = 'nothing'

interface Running {
  member: SearchedMember
  restartedFrom: Nothing | undefined
}

const acts = ['suspicion', 'leave', 'leave timer', 'exchange', 'restart'] as const

/** Membership within bounds, in the form that a search needs. */
export class GossipProtocol implements Protocol<Running, Nothing, GossipContent, SeenMember> {
  readonly names: readonly string[]
  readonly acts: readonly string[]
  readonly #core: GossipUnderSearch
  readonly #bounds: GossipBounds
  readonly #places: readonly number[]

  constructor(core: GossipUnderSearch, bounds: GossipBounds) {
    this.#core = core
    this.#bounds = bounds
    this.names = memberNames.slice(0, bounds.members)
    this.#places = this.names.map((_, place) => place)
    this.acts = [
      'waits no longer for those that it suspects',
      'leaves',
      'goes on with leaving',
      'sends all that it knows',
      'ends and starts anew',
      ...this.names.map((name) => `hears no answer of ${name}`),
    ]
  }

  begin(place: number): Running {
    return { member: new SearchedMember(place, this.#places, this.#core), restartedFrom: undefined }
  }

  from(place: number): Running {
    return { member: new SearchedMember(place, [place], this.#core), restartedFrom: undefined }
  }

  actIn(act: number, order: Order): number {
    return act < acts.length ? act : acts.length + itemAt(order, act - acts.length)
  }

  possible({ member: { core, place } }: Running): readonly number[] {
    const { leaves, restarts, exchanges } = this.#bounds
    const isIn = core.leaving === 'member'
    const may = {
      suspicion: core.suspects.size > 0,
      leave: leaves && isIn,
      'leave timer': core.timers.has('leave'),
      exchange: exchanges,
      restart: restarts,
    }
    const accused = this.#places.filter((other) => {
      return other !== place && core.members.get(itemAt(memberNames, other))?.state === 'alive' && isIn
    })
    const own = acts.flatMap((act, number) => (may[act] ? [number] : []))
    return [...own, ...accused.map((other) => acts.length + other)]
  }

  take(node: Running, event: NodeEvent<GossipContent>): Said<GossipContent> {
    node.restartedFrom = undefined
    const before = seenOf(node.member)
    try {
      const words = 'hears' in event ? this.#hear(node, event.hears.content) : this.#act(node, event.act)
      const now = seenOf(node.member)
      if (this.#isBeyond(now)) return { words: [], broken: undefined, beyond: true }
      const heard = 'hears' in event ? event.hears.content : undefined
      const broken = node.restartedFrom === undefined ? lawsOf(before, now, heard, node.member.said) : undefined
      return { words, broken }
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === 'InvariantViolation') {
        return { words: [], broken: `the core stops: ${thrown.message}` }
      }
      throw thrown
    }
  }

  #isBeyond({ held, clock }: SeenMember): boolean {
    const { incarnations, times } = this.#bounds
    return clock > times + 1 || held.some(({ incarnation }) => incarnation > incarnations)
  }

  #hear({ member }: Running, content: GossipContent): Word<GossipContent>[] {
    const from = addressOf(member.place)
    if (content.kind !== 'full-state') member.take({ kind: 'packet-received', from, messages: [content] })
    else {
      const how = member.core.members.size === 1 ? 'join-answer' : 'request'
      member.take({ kind: 'state-received', how, from, state: content.state })
    }
    return this.#said(member)
  }

  #act(node: Running, number: number): Word<GossipContent>[] {
    const { member } = node
    const act = acts[number]
    if (act === undefined) this.#accuse(member, number - acts.length)
    else if (act === 'suspicion') member.take({ kind: 'timer-fired', timer: 'suspicion' })
    else if (act === 'leave') member.take({ kind: 'leave-requested' })
    else if (act === 'leave timer') member.take({ kind: 'timer-fired', timer: 'leave' })
    else if (act === 'exchange') return this.#toOthers(member.place, { kind: 'full-state', state: member.state })
    else {
      node.member = this.from(member.place).member
      node.restartedFrom = 'nothing'
    }
    return this.#said(node.member)
  }

  /** Accuses the member, as after a probe without an answer. */
  #accuse(member: SearchedMember, place: number): void {
    const node = itemAt(memberNames, place)
    const incarnation = member.core.members.get(node)?.incarnation ?? 0
    const from = itemAt(memberNames, member.place)
    const messages: Message[] = [{ kind: 'suspect', incarnation, node, from }]
    member.take({ kind: 'packet-received', from: addressOf(member.place), messages })
  }

  #said({ place, said }: SearchedMember): Word<GossipContent>[] {
    return said.flatMap((message) => this.#toOthers(place, message))
  }

  /** Sends to every other member: chance decides which of them receive a message, and each forwards it. */
  #toOthers(place: number, content: GossipContent): Word<GossipContent>[] {
    const others = this.#places.filter((other) => other !== place)
    return others.map((to) => ({ from: place, to, content, claim: undefined }))
  }

  restartedFrom({ restartedFrom }: Running): Nothing | undefined {
    return restartedFrom
  }

  fingerprint({ member }: Running): string {
    return fingerprintOf(member)
  }

  seen({ member }: Running): SeenMember {
    return seenOf(member)
  }

  /** All laws are about the knowledge of one member, so they are judged when it takes a step. */
  judge(): undefined {
    return undefined
  }

  contentIn(content: GossipContent, order: Order): GossipContent {
    const named = (name: string): string => itemAt(memberNames, itemAt(order, memberNames.indexOf(name)))
    const placed = (name: string) => addressOf(memberNames.indexOf(named(name)))
    switch (content.kind) {
      case 'alive':
        return { ...content, node: named(content.node), address: placed(content.node) }
      case 'suspect':
      case 'dead':
        return { ...content, node: named(content.node), from: named(content.from) }
      case 'leave-intent':
      case 'join-intent':
        return { ...content, node: named(content.node) }
      case 'full-state': {
        const { nodes, statusTimes, left } = content.state
        const state: FullState = {
          ...content.state,
          nodes: nodes
            .map((held) => ({ ...held, node: named(held.node), address: placed(held.node) }))
            .sort((a, b) => (a.node < b.node ? -1 : 1)),
          statusTimes: statusTimes
            .map(([name, time]) => [named(name), time] as const)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
          left: left.map(named).sort((a, b) => (a < b ? -1 : 1)),
        }
        return { kind: 'full-state', state }
      }
      default:
        return content
    }
  }

  claimIn(claim: Claim): Claim {
    return claim
  }

  durableIn(durable: Nothing): Nothing {
    return durable
  }

  textOf(content: GossipContent): string {
    if (content.kind === 'full-state') return stateText(content.state)
    const { kind, ...fields } = content
    if (kind === 'alive' && 'incarnation' in fields) return `alive ${content.node} ${fields.incarnation}`
    const told = Object.entries(fields).map(([name, value]: [string, unknown]) => `${name} ${String(value)}`)
    return `${kind} ${told.join(', ')}`
  }

  tell({ leaving, held }: SeenMember): string {
    const views = held.map(({ name, incarnation, state, status, statusTime }) => {
      return `${name} ${state === status ? state : `${state}/${status}`} ${incarnation}@${statusTime}`
    })
    return `${leaving}, holds ${views.join(', ')}`
  }
}

function stateText({ nodes, lamport, statusTimes, left }: FullState): string {
  const held = nodes.map(({ node, state, incarnation }) => `${node} ${state} ${incarnation}`)
  const times = statusTimes.map(([name, time]) => `${name}@${time}`)
  return `full-state ${held.join(', ')}; times ${times.join(' ')}, clock ${lamport}, left ${left.join(' ')}`
}
