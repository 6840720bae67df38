import { type Ask, type Authorizer, decidedBy } from '../../access/authorizer.ts'
import { hideUuids } from '../../base/uuid.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { OneForAll, Sight } from './visible-index.ts'

/** The rights that an endpoint requires of its caller's token. Every endpoint declares this. */
export type Access<Args> = Open | Asks<Args> | Within

/** For a read, which may also filter its answer instead of refusing it as a whole. */
export type ReadAccess<Args, Reply> = Open | Asks<Args> | Filters<Args, Reply>

/** No rights are required, for this reason. */
interface Open {
  readonly kind: 'open'
  readonly reason: string
}

/** The right that the call requires and its token lacks. */
export interface Refusal extends Ask {
  /**
   * What the caller is told instead of the refusal: the answer as if the thing did not exist. A caller that may not
   * read a thing must not learn from a refusal that it exists. The log still shows the refusal.
   */
  readonly instead?: Failure
}

/** Undefined: the call is allowed. */
type Refused<Args> = (authorizer: Authorizer, args: Args, state: ReadTransaction) => Refusal | undefined

export interface Asks<Args> {
  readonly kind: 'asks'
  refused(authorizer: Authorizer, args: Args, state: ReadTransaction): Refusal | undefined
}

/** `serve` itself checks the rights, for this reason. */
interface Within {
  readonly kind: 'within'
  readonly reason: string
}

export interface Filters<Args, Reply> {
  readonly kind: 'filters'
  refused?(authorizer: Authorizer, args: Args, state: ReadTransaction): Refusal | undefined
  /**
   * The secret of a token whose rights count instead of the caller's if nothing is refused; empty: the caller's rights
   * count.
   */
  onBehalfOf?(args: Args, state: ReadTransaction): string
  /**
   * The part of the value that the token may see; pure. If nothing is removed it must return the very same object,
   * which is shared together with its encoded forms. `state` is the one in which the value was found, or one in which
   * the value is the same.
   */
  filter(authorizer: Authorizer, value: Reply, args: Args, state: ReadTransaction): Reply
  /** The index at which the visible part last changed. */
  readonly sight: Sight<Args, Reply> | OneForAll
}

type Filter<Args, Reply> = Filters<Args, Reply>['filter']

export function open(reason: string): Open {
  return { kind: 'open', reason }
}

export function asks<Args>(refused: Refused<Args>): Asks<Args> {
  return { kind: 'asks', refused }
}

export function within(reason: string): Within {
  return { kind: 'within', reason }
}

export function filters<Args, Reply>(
  filter: Filter<Args, Reply>,
  sight: NoInfer<Sight<Args, Reply>> | OneForAll,
  refused?: Refused<Args>,
): Filters<Args, Reply> {
  return { kind: 'filters', filter, sight, ...(refused === undefined ? {} : { refused }) }
}

export function filtersOnBehalf<Args, Reply>(
  onBehalfOf: (args: Args, state: ReadTransaction) => string,
  filter: Filter<Args, Reply>,
  sight: NoInfer<Sight<Args, Reply>> | OneForAll,
): Filters<Args, Reply> {
  return { kind: 'filters', filter, sight, onBehalfOf }
}

/** The required right, if the token lacks it. */
export function refusedUnlessAllowed(
  authorizer: Authorizer,
  resource: Ask['resource'],
  name: string,
  right: Ask['right'],
): Ask | undefined {
  return authorizer.allows(resource, name, right) ? undefined : { resource, name, right }
}

/** The refusal of a change: if the caller may not even read the thing, as if it did not exist. */
export function refusedOrAbsent(authorizer: Authorizer, ask: Ask, notThere: Failure): Refusal | undefined {
  const { resource, name, right } = ask
  if (authorizer.allows(resource, name, right)) return undefined
  return authorizer.allows(resource, name, 'read') ? ask : { ...ask, instead: notThere }
}

/** The list without the filtered items; the very same list if all items are kept. */
export function keptOf<T>(list: readonly T[], keep: (each: T) => boolean): readonly T[] {
  return list.every(keep) ? list : list.filter(keep)
}

/** `cause` is shown to the caller, and contains no secret. Reference: access-control.md#token-lacks-right. */
export function permissionDenied(cause = ''): Failure {
  return { kind: 'permission-denied', message: cause === '' ? 'Permission denied' : `Permission denied: ${cause}` }
}

/** Refuses a call, and logs why. `what` names the called operation, for people. */
export function denied(
  env: Pick<Env, 'log' | 'metrics'>,
  authorizer: Authorizer,
  refusal: Refusal,
  what: string,
): Failure {
  tellDenied(env, authorizer, refusal, what)
  return refusal.instead ?? permissionDenied()
}

/** One log line from which an operator sees which token lacks which right, and why. It contains no secret. */
export function tellDenied(
  { log, metrics }: Pick<Env, 'log' | 'metrics'>,
  authorizer: Authorizer,
  ask: Refusal,
  what: string,
): void {
  metrics.count('acl.denied')
  if (!log.enabled('info')) return
  const { resource, right } = ask
  // The requested key, session or node, which is a secret if the caller has mixed them up.
  const name = hideUuids(ask.name)
  const by = decidedBy(authorizer.explain(resource, ask.name, right))
  log.write(
    'info',
    'acl',
    'permission denied',
    { accessor: authorizer.accessor, resource, name, right, by, what },
    { by: `${authorizer.accessor} ${resource} ${right}` },
  )
}
