import { type Authorizer, unrestricted } from '../../access/authorizer.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Access, denied, type ReadAccess, type Refusal } from '../../features/contract/access.ts'
import type { Failure } from '../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { TokenResolver } from './running-access.ts'

type Entered = Result<Authorizer, Failure>

type Declared = Access<unknown> | ReadAccess<unknown, unknown>

interface Guarded {
  readonly method: string
  readonly access: Declared
}

/** Resolves the caller's token on a server with access control, and refuses calls without the right. */
export class Gate {
  readonly #env: Env
  readonly #resolver: TokenResolver

  constructor(env: Env, resolver: TokenResolver) {
    this.#env = env
    this.#resolver = resolver
  }

  /** An endpoint that requires no rights ignores the token, even an unknown one. */
  now({ access, method }: Guarded, token: string): Entered | undefined {
    return access.kind === 'open' ? entered : this.#told(this.#resolver.now(token), method)
  }

  async enter(endpoint: Guarded, token: string): Promise<Entered> {
    return this.now(endpoint, token) ?? this.#told(await this.#resolver.resolve(token), endpoint.method)
  }

  /** Logs each call with a token that does not exist. */
  #told<E extends Entered | undefined>(found: E, what: string): E {
    if (found?.ok === false && found.error.kind === 'token-not-found') {
      this.#env.metrics.count('acl.not-found')
      this.#env.log.write('info', 'acl', 'token not found', { what }, 'sampled')
    }
    return found
  }

  /** Whether the token still has the rights of this authorizer. */
  isStill({ access }: Guarded, token: string, authorizer: Authorizer): boolean {
    if (access.kind === 'open') return true
    const now = this.#resolver.now(token)
    return now?.ok === true && now.value === authorizer
  }

  /** See `TokenResolver.since`. */
  since({ access }: Guarded, token: string): ModifyIndex {
    return access.kind === 'open' ? noChange : this.#resolver.since(token)
  }

  onChange({ access }: Guarded, token: string, authorizer: Authorizer, use: () => void): Closable | undefined {
    return access.kind === 'open' ? undefined : this.#resolver.onChange(token, authorizer, use)
  }

  /** Why the call is refused; undefined if it is allowed. */
  refusal(
    { method, access }: Guarded,
    authorizer: Authorizer,
    args: unknown,
    state: ReadTransaction,
  ): Failure | undefined {
    if (authorizer.unrestricted) return undefined
    const ask = refusedBy(access, authorizer, args, state)
    if (ask === undefined) return undefined
    return denied(this.#env, authorizer, ask, method)
  }
}

const entered: Entered = ok(unrestricted)

function refusedBy(
  access: Declared,
  authorizer: Authorizer,
  args: unknown,
  state: ReadTransaction,
): Refusal | undefined {
  switch (access.kind) {
    case 'asks':
    case 'filters':
      return access.refused?.(authorizer, args, state)
    case 'open':
    case 'within':
      return undefined
  }
}
