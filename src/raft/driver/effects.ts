import type { Env } from '../../env/env.ts'
import type { RaftEffect } from '../core/effects.ts'
import type { RaftCore } from '../core/state.ts'
import type { DurableLog } from '../log/durable-log.ts'
import type { KeptPeers } from '../opening/outage.ts'
import type { RaftObserver } from '../raft.ts'
import type { CommittedState } from './committed-state.ts'
import type { Persisting } from './persisting.ts'
import type { Requests } from './requests.ts'
import type { RoleNews } from './role-news.ts'
import type { Addresses, Sender } from './sender.ts'
import type { TimerSet } from './timer-set.ts'

export interface EffectsParts {
  readonly env: Pick<Env, 'metrics' | 'log'>
  readonly log: DurableLog
  readonly persisting: Persisting
  readonly sender: Sender
  readonly timers: TimerSet
  readonly state: CommittedState
  readonly requests: Requests
  readonly news: RoleNews
  readonly addresses: Addresses
  readonly observer: RaftObserver | undefined
  readonly keptPeers: KeptPeers | undefined
}

/** Performs the effects of the core's steps, each at once and in their order. It keeps no state of its own. */
export class Effects {
  readonly #parts: EffectsParts

  constructor(parts: EffectsParts) {
    this.#parts = parts
  }

  /** `core`: the core after the step of this effect. */
  carryOut(effect: RaftEffect, core: RaftCore): void {
    const { persisting, sender, timers, state, requests } = this.#parts
    switch (effect.kind) {
      case 'persist':
        return persisting.ask(effect)
      case 'send':
        return sender.send(effect.outgoing)
      case 'set-timer':
        return timers.set(effect.timer, effect.minMs, effect.maxMs, core.term)
      case 'clear-timer':
        return timers.clear(effect.timer)
      case 'apply':
        return state.apply(effect.entries)
      case 'install-snapshot':
        return state.install(effect.meta)
      case 'compact':
        return this.#parts.log.compact(effect.keepFrom)
      case 'store-chunk':
        return state.storeChunk(effect)
      case 'read-chunk':
        return state.readChunk(effect)
      case 'accepted':
        return requests.accepted(effect.requestId, effect.index, effect.term)
      case 'refused':
        this.#parts.observer?.refused(effect.requestId, effect.refusal)
        return requests.refused(effect.requestId, effect.refusal)
      case 'read-ready':
        this.#parts.observer?.readConfirmed(effect.requestId)
        return requests.readReady(effect.requestId, effect.index, state.applied)
      case 'transferred':
        return requests.succeeded(effect.requestId)
      case 'role-changed':
        if (this.#parts.news.take(effect, core)) requests.leadershipLost(core.commit)
        return
      case 'configuration-changed':
        return this.#learn(effect)
      case 'note':
        return this.#note(effect)
      default:
        effect satisfies never
    }
  }

  #learn({ configuration, index, committed }: Extract<RaftEffect, { kind: 'configuration-changed' }>): void {
    const { addresses, keptPeers, env } = this.#parts
    addresses.learn(configuration)
    // A server that does not belong to a cluster yet has nothing to report.
    if (configuration.servers.length === 0) return
    keptPeers?.keep(configuration)
    const servers = configuration.servers.map(({ id, address, suffrage }) => `${id} ${address} ${suffrage}`).join(', ')
    env.log.write('info', 'raft', 'configuration', { index, committed, servers })
  }

  #note({ counts, level, text, fields }: Extract<RaftEffect, { kind: 'note' }>): void {
    const { metrics, log } = this.#parts.env
    if (counts !== undefined) metrics.count(counts)
    log.write(level, 'raft', text, fields, 'sampled')
  }
}
