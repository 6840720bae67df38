import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

interface Follower {
  readonly authorizer: Authorizer
  readonly use: () => void
}

export interface TokenFollowersParts {
  readonly env: Env
  /** What is cached about a token; undefined: nothing. */
  outcomeOf(secret: string): Result<Authorizer, Failure> | undefined
  /** When what is cached about a token expires and may be asked for again; past if nothing is cached. */
  dueMs(secret: string): number
  /** Asks for the rights of a token, and calls `check` when they are cached. */
  refresh(secret: string): Promise<unknown>
}

/** Shortest time between two refreshes for callers that wait: rights that expire at once are not asked for all the time. */
const refreshMinMs = 1_000

/**
 * Callers that wait until the rights of a token change, such as blocking queries. While a token has any, its rights are
 * refreshed whenever they expire.
 */
export class TokenFollowers {
  readonly #parts: TokenFollowersParts
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #timers = new Map<string, Closable>()
  #stopped = false

  constructor(parts: TokenFollowersParts) {
    this.#parts = parts
  }

  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers.values()) timer.close()
    this.#timers.clear()
    this.#followers.clear()
  }

  /** Calls `use` once when the token no longer has the rights of `authorizer`. */
  add(secret: string, authorizer: Authorizer, use: () => void): Closable {
    const follower: Follower = { authorizer, use }
    const followers = this.#followers.get(secret) ?? new Set()
    this.#followers.set(secret, followers.add(follower))
    if (followers.size === 1 || !this.#isHeld(secret, authorizer)) this.#schedule(secret)
    return {
      close: () => {
        followers.delete(follower)
        if (followers.size > 0 || this.#followers.get(secret) !== followers) return
        this.#followers.delete(secret)
        this.#timers.get(secret)?.close()
        this.#timers.delete(secret)
      },
    }
  }

  /**
   * Notifies followers of a token whose rights differ from what it has now, and checks again when these rights expire.
   */
  check(secret: string): void {
    const followers = this.#followers.get(secret)
    if (followers === undefined || this.#stopped) return
    for (const follower of [...followers]) {
      if (this.#isHeld(secret, follower.authorizer)) continue
      followers.delete(follower)
      follower.use()
    }
    if (followers.size > 0) this.#schedule(secret, refreshMinMs)
    else if (this.#followers.get(secret) === followers) this.#followers.delete(secret)
  }

  #isHeld(secret: string, authorizer: Authorizer): boolean {
    const outcome = this.#parts.outcomeOf(secret)
    return outcome?.ok === true && outcome.value === authorizer
  }

  #schedule(secret: string, leastMs = 0): void {
    this.#timers.get(secret)?.close()
    const { env } = this.#parts
    const holds = [...(this.#followers.get(secret) ?? [])].every(({ authorizer }) => this.#isHeld(secret, authorizer))
    const dueMs = holds ? this.#parts.dueMs(secret) : 0
    const timer = env.timers.after(Math.max(leastMs, dueMs - env.clock.monoMs()), () => {
      this.#timers.delete(secret)
      if (!this.#stopped) env.detach(this.#parts.refresh(secret))
    })
    this.#timers.set(secret, timer)
  }
}
