import { type Ask, type Authorizer, type Decision, unrestricted } from '../../access/authorizer.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Access, permissionDenied, type ReadAccess } from '../../features/access.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { TokenResolver } from './resolver.ts'

type Entered = Result<Authorizer, Failure>

type Declared = Access<unknown> | ReadAccess<unknown, unknown> | undefined

interface Guarded {
  readonly method: string
  readonly access?: Declared
}

/** Where a server that has access control on asks what a token may do, and says no. */
export class Gate {
  readonly #env: Env
  readonly #resolver: TokenResolver

  constructor(env: Env, resolver: TokenResolver) {
    this.#env = env
    this.#resolver = resolver
  }

  /** Of an endpoint that asks nothing the token is not looked at, be it unknown. */
  now({ access }: Guarded, token: string): Entered | undefined {
    return access?.kind === 'open' ? entered : this.#resolver.now(token)
  }

  async enter(endpoint: Guarded, token: string): Promise<Entered> {
    return this.now(endpoint, token) ?? this.#resolver.resolve(token)
  }

  /** Whether the token may do now what this authorizer says. */
  isStill({ access }: Guarded, token: string, authorizer: Authorizer): boolean {
    if (access?.kind === 'open') return true
    const now = this.#resolver.now(token)
    return now?.ok === true && now.value === authorizer
  }

  onChange({ access }: Guarded, token: string, authorizer: Authorizer, use: () => void): Closable | undefined {
    return access?.kind === 'open' ? undefined : this.#resolver.onChange(token, authorizer, use)
  }

  /** Why the call may not go on; undefined: it may. */
  refusal(
    { method, access }: Guarded,
    authorizer: Authorizer,
    args: unknown,
    state: ReadTransaction,
  ): Failure | undefined {
    if (authorizer.unrestricted) return undefined
    const ask = refusedBy(access, authorizer, args, state)
    if (ask === undefined) return undefined
    tellDenied(this.#env, authorizer, ask, method)
    return permissionDenied()
  }
}

const entered: Entered = ok(unrestricted)

function refusedBy(access: Declared, authorizer: Authorizer, args: unknown, state: ReadTransaction): Ask | undefined {
  switch (access?.kind) {
    case 'asks':
    case 'filters':
      return access.refused?.(authorizer, args, state)
    case 'open':
    case 'within':
      return undefined
    case undefined:
      // Nobody has said what it needs: only who may do everything may call it.
      return { resource: 'acl', name: '', right: 'write' }
  }
}

/** One line of the log, from which an operator sees whose token lacks what, and why. No secret is in it. */
export function tellDenied({ log, metrics }: Env, authorizer: Authorizer, ask: Ask, what: string): void {
  metrics.count('acl.denied')
  if (!log.enabled('info')) return
  const { resource, name, right } = ask
  const by = decidedBy(authorizer.explain(resource, name, right))
  log.write('info', 'acl', 'permission denied', { accessor: authorizer.accessor, resource, name, right, by, what })
}

/** `service_prefix "web" read, policy p1`, or `default policy deny`. */
export function decidedBy({ by }: Decision): string {
  switch (by.kind) {
    case 'rule':
      return `${by.rule} ${by.level}, ${by.policy}`
    case 'default':
      return `default policy ${by.policy}`
    case 'unrestricted':
      return 'no restriction'
  }
}
