import { compoundHeaderBytes, compoundMessageBytes, packetBytesDefault } from '../../../src/gossip/core/bounds.ts'
import type { GossipAddress, Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import { type Agent, sizeOf } from './agent.ts'

/** A law of membership is broken: the message names it. */
class Broken extends Error {}

function demand(condition: boolean, law: string, values: Record<string, unknown>): void {
  if (!condition) throw new Broken(`${law} ${JSON.stringify(values)}`)
}

interface Seen {
  readonly incarnation: number
  readonly rank: number
}

const ranks = { alive: 0, suspect: 1, dead: 2 } as const

/** Looks at one agent after each of its steps. */
export class Laws {
  /** By observer, its boot, and member. */
  readonly #seen = new Map<string, Map<string, Seen>>()
  falseDeaths = 0
  refutations = 0

  stepped(agent: Agent, event: GossipEvent, effects: readonly GossipEffect[]): void {
    this.#monotone(agent, effects)
    demand(agent.core.health >= 0 && agent.core.health < 8, 'M6: local health stays in range', {
      health: agent.core.health,
    })
    for (const effect of effects) {
      if (effect.kind === 'send') {
        this.#fits(effect.messages)
        const isAnswer = ['ack', 'nack'].includes(effect.messages[0]?.kind ?? '')
        if (!isAnswer) this.#notToTheLeft(agent, effect.to, { sent: effect.messages, after: event })
      }
      if (effect.kind === 'exchange') this.#notToTheLeft(agent, effect.with, 'an exchange')
      if (effect.kind === 'stream-ping') this.#notToTheLeft(agent, effect.to, 'a ping over a stream')
    }
  }

  /** M3, for as long as a record lives. */
  #monotone(agent: Agent, effects: readonly GossipEffect[]): void {
    const key = `${agent.name}/${agent.boot}`
    const seen = this.#seen.get(key) ?? new Map<string, Seen>()
    this.#seen.set(key, seen)
    for (const effect of effects) {
      if (effect.kind !== 'members-changed') continue
      for (const { kind, member } of effect.changes) if (kind === 'reaped') seen.delete(member.name)
    }
    for (const [name, { incarnation, state, status }] of agent.core.members) {
      const rank = ranks[state]
      const before = seen.get(name)
      if (before !== undefined && before.incarnation === incarnation && before.rank === rank) continue
      const isLater =
        before === undefined ||
        incarnation > before.incarnation ||
        (incarnation === before.incarnation && rank >= before.rank)
      demand(isLater, 'M3: incarnation and, within it, state only rise', {
        by: agent.name,
        name,
        before,
        incarnation,
        state,
      })
      demand((state === 'dead') === (status === 'failed' || status === 'left'), 'status follows state', {
        by: agent.name,
        name,
        state,
        status,
      })
      seen.set(name, { incarnation, rank })
    }
  }

  #fits(messages: readonly Message[]): void {
    let bytes = messages.length > 1 ? compoundHeaderBytes : 0
    for (const message of messages) bytes += sizeOf(message) + (messages.length > 1 ? compoundMessageBytes : 0)
    demand(bytes <= packetBytesDefault && messages.length > 0 && messages.length <= 255, 'a packet has its bound', {
      bytes,
      messages: messages.length,
    })
  }

  /** M5. */
  #notToTheLeft(agent: Agent, to: GossipAddress, what: unknown): void {
    for (const { name, status, address } of agent.core.members.values()) {
      if (status !== 'left' || address.host !== to.host || address.port !== to.port) continue
      demand(false, 'M5: who has left is not contacted', { by: agent.name, name, what })
    }
  }
}
