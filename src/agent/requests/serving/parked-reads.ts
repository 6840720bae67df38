import { err, ok, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { ReadOptions } from '../../../features/contract/reading.ts'
import type { WithConsensus } from '../../../features/contract/server-context.ts'
import type { WithEnv } from '../../../features/contract/surroundings.ts'
import type { Failure } from '../../../model/failure.ts'
import type { Store } from '../../../store/store.ts'
import type { Asker } from '../../access/askers.ts'
import type { Gate } from '../../access/gate.ts'
import { Wakes } from './wakes.ts'

interface Parking {
  /** Calls `told` when what was read changes. */
  readonly wait: (told: () => void) => Result<Closable, Failure>
  /** Called when the read learned of a change: it is woken in this turn, or in a slice of the next ones (`wakes.ts`). */
  readonly told: (() => void) | undefined
  readonly waitMs: number
  readonly read: ReadOptions
  readonly caller: Leaving
}

type End = (result: Result<undefined, Failure>) => void

/** Blocking reads that wait on this server for a change. */
export class ParkedReads {
  readonly #context: WithEnv & WithConsensus
  /** Undefined: access control is off. */
  readonly #gate: Gate | undefined
  /**
   * Callbacks that end the parked reads, bounded by the waiting reads of the results; those that only the leader may
   * answer are separate.
   */
  readonly #parked = new Set<End>()
  readonly #parkedAtLeader = new Set<End>()
  readonly #wakes: Wakes
  /** Ends the latter when this server no longer leads; open as long as there are any. */
  #following: Closable | undefined
  #stopped = false

  constructor(context: WithEnv & WithConsensus, store: Pick<Store, 'index'>, gate: Gate | undefined) {
    this.#context = context
    this.#gate = gate
    this.#wakes = new Wakes({ env: context.env, batch: () => store.index })
  }

  /** Ends all parked reads; none is parked from here on. */
  stop(): void {
    this.#stopped = true
    for (const end of [...this.#parked]) end(err({ kind: 'shutting-down' }))
  }

  /**
   * Waits until what was read changes, the token's rights change, time runs out, the caller leaves, or (unless stale)
   * this server no longer leads.
   */
  park(
    endpoint: QueryEndpoint,
    asker: Asker,
    { wait, told, waitMs, read, caller }: Parking,
  ): Promise<Result<undefined, Failure>> {
    const { env } = this.#context
    const deferred = env.deferred<Result<undefined, Failure>>()
    if (this.#stopped || caller.gone) {
      deferred.resolve(err(this.#stopped ? { kind: 'shutting-down' } : { kind: 'cancelled' }))
      return deferred.promise
    }
    let over = false
    const end: End = (result) => {
      if (over) return
      over = true
      timer?.close()
      if (waiting.ok) waiting.value.close()
      following?.close()
      this.#unpark(end)
      caller.tell = undefined
      deferred.resolve(result)
    }
    const waiting = wait(() => {
      told?.()
      this.#wakes.add(() => end(ok(undefined)))
    })
    const following = waiting.ok
      ? this.#gate?.onChange(endpoint, asker.token, asker.authorizer, () => end(ok(undefined)))
      : undefined
    const timer = waiting.ok ? env.timers.after(waitMs, () => end(ok(undefined))) : undefined
    if (!waiting.ok) {
      end(waiting)
      return deferred.promise
    }
    this.#parked.add(end)
    if (read.consistency !== 'stale') this.#parkAtLeader(end)
    caller.tell = () => end(err({ kind: 'cancelled' }))
    return deferred.promise
  }

  #parkAtLeader(end: End): void {
    this.#parkedAtLeader.add(end)
    this.#following ??= this.#context.raft.onRoleChange((status) => {
      if (status.role === 'leader') return
      for (const each of [...this.#parkedAtLeader]) each(err({ kind: 'not-leader', leader: status.leader?.address }))
    })
  }

  #unpark(end: End): void {
    this.#parked.delete(end)
    if (!this.#parkedAtLeader.delete(end) || this.#parkedAtLeader.size > 0) return
    this.#following?.close()
    this.#following = undefined
  }
}

export interface Caller {
  onAbort?(use: () => void): void
}

/** Whether the caller of a read has gone, registered once although the read may be parked several times. */
export class Leaving {
  gone = false
  tell: (() => void) | undefined

  constructor(caller: Caller) {
    caller.onAbort?.(() => {
      this.gone = true
      this.tell?.()
    })
  }
}
