import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint } from '../../env/net.ts'
import type { Message } from '../core/messages.ts'
import { WorkBudget } from './work-budget.ts'

/**
 * Messages that the core takes at once, and per millisecond after that. One costs it up to 35 µs, so this is some 8 ms
 * at once, and half of a core in the long run. In a pool of 10,000 that starts together, an agent receives some
 * hundreds in a second.
 */
const atOnceMax = 256
const perMs = 16

/** Maximum number of messages that wait; further ones are dropped. Source: memberlist `HandoffQueueDepth`. */
const waitingMax = 1_024

/** Maximum number of probes that are taken from one packet. The field sends one, and each is answered by a packet. */
const probesMax = 8

/**
 * Passes the content of packets to the core. As in memberlist, probes and acknowledgements are handled at once, and the
 * rest waits in a bounded queue under load: the sockets of a machine deliver dozens of packets in one turn, each with
 * up to 255 messages.
 */
export class Handoff {
  readonly #env: Pick<Env, 'timers' | 'metrics'>
  readonly #use: (from: Endpoint, messages: readonly Message[]) => void
  readonly #budget: WorkBudget
  #waiting: { readonly from: Endpoint; readonly messages: readonly Message[] }[] = []
  #count = 0
  #next: Closable | undefined

  constructor(
    env: Pick<Env, 'clock' | 'timers' | 'metrics'>,
    use: (from: Endpoint, messages: readonly Message[]) => void,
  ) {
    this.#env = env
    this.#use = use
    this.#budget = new WorkBudget(env.clock, atOnceMax, perMs)
  }

  take(from: Endpoint, received: readonly Message[]): void {
    const messages = this.#withoutManyProbes(received)
    if (messages.length === 0) return
    if (this.#count === 0 && this.#budget.left > 0) return this.#pass(from, messages)
    const probes = messages.filter(isProbe)
    if (probes.length > 0) this.#pass(from, probes)
    const others = probes.length === 0 ? messages : messages.filter((message) => !isProbe(message))
    if (others.length > 0) this.#keep(from, others)
  }

  stop(): void {
    this.#next?.close()
    this.#waiting = []
    this.#count = 0
  }

  #withoutManyProbes(messages: readonly Message[]): readonly Message[] {
    if (messages.length <= probesMax) return messages
    let probes = 0
    const kept = messages.filter((message) => !isAsking(message) || ++probes <= probesMax)
    if (probes > probesMax) this.#env.metrics.count('gossip.dropped.probe', probes - probesMax)
    return kept
  }

  /** Probes do not wait for the budget. Their debt is bounded, so that the others do not wait long after a flood of them. */
  #pass(from: Endpoint, messages: readonly Message[]): void {
    if (this.#budget.left > -atOnceMax) this.#budget.take(messages.length)
    this.#use(from, messages)
  }

  #keep(from: Endpoint, messages: readonly Message[]): void {
    if (this.#count + messages.length > waitingMax) {
      return this.#env.metrics.count('gossip.dropped.handoff', messages.length)
    }
    this.#waiting.push({ from, messages })
    this.#count += messages.length
    this.#schedule()
  }

  #schedule(): void {
    this.#next ??= this.#env.timers.after(Math.max(1, this.#budget.dueMs), () => {
      this.#next = undefined
      while (this.#budget.left > 0) {
        const first = this.#waiting.shift()
        if (first === undefined) return
        this.#count -= first.messages.length
        this.#pass(first.from, first.messages)
      }
      if (this.#count > 0) this.#schedule()
    })
  }
}

function isProbe({ kind }: Message): boolean {
  return kind === 'ack' || kind === 'nack' || kind === 'ping' || kind === 'indirect-ping'
}

/** Whether the message wants an answer. */
function isAsking({ kind }: Message): boolean {
  return kind === 'ping' || kind === 'indirect-ping'
}
