import type { Env } from '../../env/env.ts'
import type { UdpSocket } from '../../env/net.ts'
import { memberLines } from '../../env/observe.ts'
import type { Query } from '../core/messages.ts'
import type { GossipCore } from '../core/state.ts'
import type { CoreChange, GossipEffect, GossipEvent } from '../core/types.ts'
import { memberNamed, self } from '../core/views.ts'
import type { MemberChange, PoolEvent } from '../pool.ts'
import type { MemberViews } from './member-views.ts'
import type { Packets } from './packets.ts'
import { answerToKeyChange, changesKeys, internalAnswer } from './pool-keys.ts'
import type { Questions } from './questions.ts'
import type { Sealing } from './sealing.ts'
import type { StateExchanges } from './state-exchanges.ts'
import type { Streams } from './streams.ts'
import type { Subscribers } from './subscribers.ts'
import type { TimerSet } from './timer-set.ts'

export interface EffectsParts {
  readonly env: Pick<Env, 'detach' | 'log' | 'metrics'>
  readonly core: GossipCore
  readonly take: (event: GossipEvent) => void
  /** Undefined: the pool has not begun. */
  readonly socket: () => UdpSocket | undefined
  readonly packets: Packets
  readonly streams: Streams
  readonly exchanges: StateExchanges
  readonly timers: TimerSet
  readonly questions: Questions
  readonly sealing: Sealing
  readonly views: MemberViews
  readonly changes: Subscribers<readonly MemberChange[]>
  readonly events: Subscribers<PoolEvent>
  /** Called when another agent has our name. */
  readonly nameConflict: () => void
  /** Called when all members that could be reached know that this agent has left. */
  readonly left: () => void
}

/** Performs the effects of the core's steps, each at once and in their order. It keeps no state of its own. */
export class Effects {
  readonly #parts: EffectsParts

  constructor(parts: EffectsParts) {
    this.#parts = parts
  }

  carryOut(effect: GossipEffect): void {
    const { env, streams, exchanges, timers } = this.#parts
    switch (effect.kind) {
      case 'send':
        return this.#send(effect)
      case 'exchange':
        return env.detach(exchanges.exchange(streams, effect))
      case 'stream-ping':
        return env.detach(this.#streamPing(effect))
      case 'set-timer':
        return timers.set(effect.timer, effect.delayMs)
      case 'clear-timer':
        return timers.clear(effect.timer)
      case 'members-changed':
        return this.#tell(effect.changes)
      case 'state-refused':
        return
      case 'user-event':
        return this.#parts.events.tell(effect)
      case 'query':
        return this.#answer(effect.query)
      case 'query-acked':
      case 'query-answered':
      case 'query-over':
        return this.#parts.questions.hear(effect)
      case 'name-conflict':
        return this.#parts.nameConflict()
      case 'left':
        return this.#parts.left()
      case 'count':
        return env.metrics.count(effect.counter, effect.by)
      case 'health':
        return env.metrics.gauge('memberlist.health.score', effect.score)
      case 'note':
        return this.#note(effect)
      default:
        effect satisfies never
    }
  }

  #send({ to, messages }: Extract<GossipEffect, { kind: 'send' }>): void {
    const socket = this.#parts.socket()
    if (socket !== undefined) this.#parts.packets.send(socket, to, messages)
  }

  async #streamPing(effect: Extract<GossipEffect, { kind: 'stream-ping' }>): Promise<void> {
    const { to, node, sequence, timeoutMs } = effect
    const answered = await this.#parts.streams.ping(to, node, sequence, timeoutMs)
    this.#parts.take({ kind: 'stream-ping-finished', sequence, answered })
  }

  #tell(core: readonly CoreChange[]): void {
    const { packets, changes, views } = this.#parts
    packets.learn(core)
    if (!changes.areNone) changes.tell(core.map((change) => views.changeOf(change)))
  }

  #answer(query: Query): void {
    const { core, sealing, views, take, env } = this.#parts
    if (changesKeys(query)) return env.detach(this.#answerKeyChange(query))
    const payload = internalAnswer(query, {
      keyring: sealing.keyring,
      name: self(core).name,
      member: (name) => {
        const member = memberNamed(core, name)
        return member === undefined ? undefined : views.of(member)
      },
    })
    if (payload !== undefined) take({ kind: 'query-responded', query, payload })
  }

  async #answerKeyChange(query: Query): Promise<void> {
    const { sealing, take } = this.#parts
    const payload = await answerToKeyChange(query, sealing.keyring)
    take({ kind: 'query-responded', query, payload })
  }

  #note({ level, topic, text, fields }: Extract<GossipEffect, { kind: 'note' }>): void {
    this.#parts.env.log.write(level, topic, text, fields, level === 'info' ? memberLines : 'sampled')
  }
}
