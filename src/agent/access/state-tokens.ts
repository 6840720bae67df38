import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { anonymousSecret } from '../../features/acl/model.ts'
import { rightsIndex, tokenBySecret, tokensIndex, watchRights } from '../../features/acl/views.ts'
import { replacedChange } from '../../features/snapshot/views.ts'
import type { Failure } from '../../model/failure.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { AskedTokens } from './asked-tokens.ts'
import type { Authorizers } from './authorizers.ts'
import { Lru } from './lru.ts'
import {
  type RightsQuestion,
  refusedSecret,
  rightsInState,
  sameRights,
  type TokenRights,
  type ToldRights,
} from './rights.ts'
import type { TokenResolver } from './running-access.ts'

/** Maximum number of tokens whose authorizers are cached. */
const keptMax = 8_192

export interface StateTokensParts {
  readonly env: Env
  readonly state: {
    /** Reads the state as of each question. */
    readonly live: ReadTransaction
    watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
  }
  readonly authorizers: Authorizers
  readonly datacenter: string
  /** Resolves tokens that are not in the state; undefined: the state has all tokens. */
  readonly beyond?: AskedTokens | undefined
  /**
   * Whether tokens in the state count although it may lack some: whether the datacenter replicates tokens. Otherwise
   * they are left from a time when it did, or was the primary one, and nothing revokes them here.
   */
  readonly replicates?: boolean
  readonly standing: StateStanding
}

/** How far a server may trust its own state. */
export interface StateStanding {
  /**
   * `current`: the state is as good as any server's. `coming`: the server has started and has not caught up with its
   * leader yet. `lost`: as `coming`, and no leader is known, so that the state is what was on its disk. `cut-off`: no
   * leader has been heard of for so long that the down policy rules the state out.
   */
  now(): 'current' | 'coming' | 'lost' | 'cut-off'
  /** Resolves when the server has caught up, or the time limit for that has passed. */
  settled(): Promise<unknown>
  /** For how long the state may be out of date: the time since the server last heard from its leader. */
  ageMs(): number
}

interface Kept {
  /**
   * The index at which tokens or policies last changed, or the whole state was replaced, when this token was looked at.
   */
  changed: number
  replaced: number
  rights: TokenRights
  since: ModifyIndex
  readonly authorizer: Authorizer
}

interface Follower {
  readonly secret: string
  readonly authorizer: Authorizer
  readonly use: () => void
}

/** Resolves tokens on a server: by its own state as of now, and by asking for tokens that the state does not have. */
export class StateTokens implements TokenResolver {
  readonly #parts: StateTokensParts
  /** The authorizer of every token while this server is cut off. */
  readonly #nobody: Authorizer
  readonly #kept = new Lru<string, Kept>(keptMax)
  readonly #followers = new Set<Follower>()
  /**
   * Whether the server was cut off when a token was last resolved, and the state's index when that changed, which
   * changed all rights.
   */
  #wasCutOff = false
  #cutOffChange = noChange
  /** Open as long as there are followers. */
  #watching: Closable | undefined

  constructor(parts: StateTokensParts) {
    this.#parts = parts
    this.#nobody = parts.authorizers.allOrNothing('deny')
  }

  stop(): void {
    this.#watching?.close()
    this.#watching = undefined
    this.#followers.clear()
  }

  now(secret: string): Result<Authorizer, Failure> | undefined {
    return this.#parts.standing.now() === 'coming' ? refusedSecret(secret) : this.#known(secret)
  }

  async resolve(secret: string): Promise<Result<Authorizer, Failure>> {
    if (this.#parts.standing.now() === 'coming') await this.#parts.standing.settled()
    const known = this.#known(secret)
    return known ?? this.#parts.beyond?.resolve(secret) ?? err(this.#unknown())
  }

  #known(secret: string): Result<Authorizer, Failure> | undefined {
    const refused = refusedSecret(secret)
    if (refused !== undefined) return refused
    const isCutOff = this.#parts.standing.now() === 'cut-off'
    if (isCutOff !== this.#wasCutOff) this.#cutOffChange = this.#parts.state.live.index
    this.#wasCutOff = isCutOff
    if (isCutOff) return ok(this.#nobody)
    const own = this.#own(secret)
    if (own !== undefined) return ok(own)
    const { beyond } = this.#parts
    return beyond === undefined ? err(this.#unknown()) : beyond.now(secret)
  }

  /** A state without all tokens cannot tell that a token does not exist. */
  #unknown(): Failure {
    return { kind: this.#isWhole() ? 'token-not-found' : 'no-leader' }
  }

  #isWhole(): boolean {
    const standing = this.#parts.standing.now()
    return standing === 'current' || standing === 'cut-off'
  }

  since(secret: string): ModifyIndex {
    return greater(this.#cutOffChange, this.#kept.get(secret)?.since ?? this.#parts.beyond?.since(secret) ?? noChange)
  }

  onChange(secret: string, authorizer: Authorizer, use: () => void): Closable {
    const follower: Follower = { secret, authorizer, use: () => end(use) }
    const beyond = this.#own(secret) === undefined ? this.#parts.beyond : undefined
    const asked = beyond?.onChange(secret, authorizer, () => end(use))
    const early =
      beyond === undefined && !this.#isHeld(follower) ? this.#parts.env.timers.after(0, () => end(use)) : undefined
    const end = (then: () => void): void => {
      if (!this.#followers.delete(follower)) return
      asked?.close()
      early?.close()
      if (this.#followers.size === 0) this.stop()
      then()
    }
    this.#followers.add(follower)
    this.#watching ??= this.#watch()
    return { close: () => end(() => {}) }
  }

  /** Serves another agent. */
  async rightsFor({ secret, datacenter }: RightsQuestion): Promise<Result<ToldRights, Failure>> {
    const refused = refusedSecret(secret)
    if (refused !== undefined) return refused
    const { standing, beyond } = this.#parts
    if (standing.now() === 'coming') await standing.settled()
    if (standing.now() === 'cut-off') return err({ kind: 'no-leader' })
    const rights = this.#find(secret, datacenter)
    if (rights !== undefined) return ok({ rights, ageMs: standing.ageMs() })
    return beyond?.rights(secret) ?? err(this.#unknown())
  }

  #own(secret: string): Authorizer | undefined {
    const { state, authorizers, datacenter } = this.#parts
    const changed = tokensIndex(state.live)
    const replaced = replacedChange(state.live)
    const kept = this.#kept.get(secret)
    if (kept?.changed === changed && kept.replaced === replaced) return kept.authorizer
    const rights = this.#find(secret, datacenter)
    if (rights === undefined) {
      this.#kept.delete(secret)
      return undefined
    }
    if (kept !== undefined && sameRights(kept.rights, rights)) {
      kept.changed = changed
      kept.replaced = replaced
      kept.since = this.#sinceInState(secret)
      return kept.authorizer
    }
    const authorizer = authorizers.of(rights)
    this.#kept.set(secret, { changed, replaced, rights, since: this.#sinceInState(secret), authorizer })
    return authorizer
  }

  #sinceInState(secret: string): ModifyIndex {
    return rightsIndex(this.#parts.state.live, secret === '' ? anonymousSecret : secret)
  }

  #find(secret: string, datacenter: string): TokenRights | undefined {
    const { beyond, replicates, state } = this.#parts
    if (beyond !== undefined && replicates !== true) return undefined
    const tx = state.live
    // A state that lacks some tokens cannot tell that the anonymous one was never created.
    const hasAll = beyond === undefined && this.#isWhole()
    if (!hasAll && tokenBySecret(tx, secret === '' ? anonymousSecret : secret) === undefined) return undefined
    return rightsInState(tx, secret, { own: this.#parts.datacenter, datacenter })
  }

  #isHeld({ secret, authorizer }: Follower): boolean {
    const now = this.now(secret)
    return now?.ok === true && now.value === authorizer
  }

  /** Runs after every batch of commands that changes a token or a policy. */
  #watch(): Closable {
    return this.#parts.state.watch(watchRights, () => {
      this.#watching = this.#watch()
      for (const follower of [...this.#followers]) {
        if (this.#followers.has(follower) && !this.#isHeld(follower)) follower.use()
      }
    })
  }
}
