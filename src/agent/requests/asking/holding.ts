import { err, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { CallOptions } from '../../../features/contract/call.ts'
import type { Failure } from '../../../model/failure.ts'
import type { CallFailure } from '../../../rpc/rpc.ts'
import type { Attempt } from './call-target.ts'

/**
 * Range of the random pause before the next attempt while no server can answer; the pause ends early when one appears.
 */
const pauseMinMs = 50
const pauseMaxMs = 150

/** Holds the requests of one agent while no server answers them, and retries them. */
export class HeldRequests {
  readonly #env: Env
  readonly #holdMs: number
  /** Callbacks that end the pauses under way, one for each held request. */
  readonly #pauses = new Set<() => void>()
  #stopped = false

  /** `holdMs` is how long a request waits for a leader. */
  constructor(env: Env, holdMs: number) {
    this.#env = env
    this.#holdMs = holdMs
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  stop(): void {
    this.#stopped = true
    this.hope()
  }

  /** A server that can answer may have appeared: ends the pauses under way. */
  hope(): void {
    for (const end of [...this.#pauses]) end()
  }

  /**
   * Retries until a server has answered, for at most the hold time after the first attempt without an answer. Once an
   * attempt of a write may have reached a leader, only an answer tells its outcome. Whatever ends the holding then,
   * except a refusal that judges the write itself, is reported to the caller as an unknown outcome. A read has no outcome
   * to lose.
   */
  async hold(
    options: CallOptions,
    { changes, nobody }: { readonly changes: boolean; readonly nobody: Failure },
    attempt: (caller: Attempt) => Promise<Result<unknown, CallFailure>>,
  ): Promise<Result<unknown, Failure>> {
    const caller = new HeldCaller(options)
    let failingSinceMs: number | undefined
    let unknown: Failure | undefined
    for (;;) {
      if (this.#stopped) return err(unknown ?? { kind: 'shutting-down' })
      if (caller.aborted) return err({ kind: 'cancelled' })
      const result = await attempt(caller)
      if (result.ok) return result
      const failure = result.error
      if (changes && mayHaveBeenServed(failure)) unknown = outcomeUnknown(failure)
      if (isFinal(failure)) return err(failure)
      if (!isPassing(failure)) return err(momentary.has(failure.kind) ? (unknown ?? failure) : failure)
      const now = this.#env.clock.monoMs()
      failingSinceMs ??= now
      const leftMs = failingSinceMs + this.#holdMs - now
      if (leftMs <= 0) return err(unknown ?? nobody)
      // An attempt that the stop itself has ended is not repeated.
      if (!this.#stopped) await this.#pause(leftMs, caller)
    }
  }

  #pause(limitMs: number, caller: HeldCaller): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const drawn = pauseMinMs + this.#env.random.draws('calls.pause').below(pauseMaxMs - pauseMinMs)
    const end = (): void => {
      timer.close()
      this.#pauses.delete(end)
      deferred.resolve()
    }
    const timer = this.#env.timers.after(Math.min(drawn, limitMs), end)
    this.#pauses.add(end)
    caller.onAbort(end)
    return deferred.promise
  }
}

/**
 * The waiting caller of a held request. The current attempt is aborted when the caller disconnects, at once if it
 * already has.
 */
class HeldCaller implements Attempt {
  #tell: (() => void) | undefined
  #aborted = false

  constructor(options: CallOptions) {
    options.onAbort?.(() => {
      this.#aborted = true
      this.#tell?.()
    })
  }

  get aborted(): boolean {
    return this.#aborted
  }

  readonly onAbort = (use: () => void): void => {
    this.#tell = use
    if (this.#aborted) use()
  }
}

type Uncertain = Extract<CallFailure, { kind: 'connection-lost' | 'outcome-unknown' | 'deadline-exceeded' }>
type Passing = Uncertain | Extract<CallFailure, { kind: 'not-leader' | 'unreachable' | 'shutting-down' }>

/** Whether the request may have been served although no answer came. */
function mayHaveBeenServed(failure: CallFailure): failure is Uncertain {
  return (
    failure.kind === 'connection-lost' || failure.kind === 'outcome-unknown' || failure.kind === 'deadline-exceeded'
  )
}

/** What a client reads: an end of a connection alone does not say that its write may have taken effect. */
function outcomeUnknown({ kind, message }: Uncertain): Failure {
  const lost = `the write may have taken effect: the connection to a server was lost (${message})`
  return { kind: 'outcome-unknown', message: kind === 'connection-lost' ? lost : message }
}

/**
 * Refusals of one attempt, which say nothing about the attempts before it: of an agent that has too much to do or knows
 * no server, of a server whose release lacks the method, and of rights, which the write itself may have taken away, such
 * as one that deletes its own token.
 */
const momentary: ReadonlySet<CallFailure['kind']> = new Set([
  'overloaded',
  'rate-limited',
  'disk-full',
  'no-leader',
  'no-servers',
  'unknown-datacenter',
  'unknown-method',
  'permission-denied',
  'token-not-found',
])

/** Whether the server knows that the write took effect, and that a further attempt would learn no more. */
function isFinal(failure: CallFailure): failure is Extract<Failure, { kind: 'outcome-unknown' }> {
  return failure.kind === 'outcome-unknown' && failure.final === true
}

/**
 * Failures that may pass with a new leader or a retry. An uncertain write may be repeated, because it carries an
 * identity.
 */
function isPassing(failure: CallFailure): failure is Passing {
  return (
    mayHaveBeenServed(failure) ||
    failure.kind === 'not-leader' ||
    failure.kind === 'unreachable' ||
    failure.kind === 'shutting-down'
  )
}
