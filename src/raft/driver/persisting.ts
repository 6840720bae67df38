import type { Env } from '../../env/env.ts'
import type { RaftEffect } from '../core/effects.ts'
import type { Outgoing } from '../core/messages.ts'
import type { DurableLog } from '../log/durable-log.ts'
import type { RaftObserver } from '../raft.ts'

export type PersistEffect = Extract<RaftEffect, { kind: 'persist' }>

interface Waiting {
  readonly effect: PersistEffect
  readonly askedMs: number
}

export interface PersistingParts {
  readonly env: Pick<Env, 'clock' | 'metrics'>
  readonly log: DurableLog
  readonly observer: RaftObserver | undefined
  readonly send: (outgoing: Outgoing) => void
  readonly isLeader: () => boolean
}

/**
 * Performs persists, and sends what must wait for them. Persists finish in their order; one that needs nothing of the
 * disk waits for those before it.
 */
export class Persisting {
  readonly #env: Pick<Env, 'clock' | 'metrics'>
  readonly #log: DurableLog
  readonly #observer: RaftObserver | undefined
  readonly #send: (outgoing: Outgoing) => void
  readonly #isLeader: () => boolean
  /**
   * Oldest first. Limited by the core: messages that wait (`isOverwhelmed`), proposed entries; and by what the driver
   * accepts.
   */
  #waiting: Waiting[] = []
  /** The newest durable change that was not reported yet. */
  #durable: number | undefined
  #stopped = false

  constructor(parts: PersistingParts) {
    this.#env = parts.env
    this.#log = parts.log
    this.#observer = parts.observer
    this.#send = parts.send
    this.#isLeader = parts.isLeader
  }

  get isUnderWay(): boolean {
    return this.#waiting.length > 0
  }

  /** When the oldest persist that is not durable yet was requested; undefined: all are durable. */
  get waitingSinceMs(): number | undefined {
    return this.#waiting[0]?.askedMs
  }

  ask(effect: PersistEffect): void {
    const { hardState, truncateFrom, entries } = effect
    const isEmpty = hardState === undefined && truncateFrom === undefined && entries.length === 0
    if (isEmpty && this.#waiting.length === 0) {
      for (const outgoing of effect.thenSend) this.#send(outgoing)
      return
    }
    this.#waiting.push({ effect, askedMs: this.#env.clock.monoMs() })
    if (isEmpty) return
    this.#log.write({ hardState, resetTo: undefined, truncateFrom, entries }, () => this.#finish(effect.sequence))
  }

  /** The newest sequence that became durable since the last call. */
  takeDurable(): number | undefined {
    const durable = this.#durable
    this.#durable = undefined
    return durable
  }

  /** From now on nothing is sent or reported, whatever becomes durable. */
  stop(): void {
    this.#stopped = true
    this.#waiting = []
  }

  /** The persist with this number is durable, and with it the following ones that need nothing of the disk. */
  #finish(sequence: number): void {
    if (this.#stopped) return
    let count = 0
    for (const { effect, askedMs } of this.#waiting) {
      if (effect.sequence > sequence && !asksNothing(effect)) break
      this.#tell(effect, askedMs)
      this.#durable = effect.sequence
      count++
    }
    this.#waiting.splice(0, count)
  }

  #tell({ hardState, truncateFrom, entries, thenSend }: PersistEffect, askedMs: number): void {
    const { metrics, clock } = this.#env
    if (entries.length > 0) {
      const name = this.#isLeader() ? 'raft.leader.dispatchLog' : 'raft.rpc.appendEntries.storeLogs'
      metrics.sample(name, clock.monoMs() - askedMs)
    }
    if (hardState !== undefined) this.#observer?.hardState(hardState.term, hardState.votedFor)
    if (truncateFrom !== undefined) this.#observer?.truncated(truncateFrom)
    if (entries.length > 0) this.#observer?.appended(entries)
    for (const outgoing of thenSend) this.#send(outgoing)
  }
}

function asksNothing({ hardState, truncateFrom, entries }: PersistEffect): boolean {
  return hardState === undefined && truncateFrom === undefined && entries.length === 0
}
