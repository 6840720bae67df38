import type { Ask, Authorizer } from '../../access/authorizer.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { OneForAll, Sight } from './visible-index.ts'

/** What an endpoint asks of the token that it is called with. Every endpoint declares one. */
export type Access<Args> = Open | Asks<Args> | Within

/** Of a read: it may drop what its caller may not see, besides refusing it as a whole. */
export type ReadAccess<Args, Reply> = Open | Asks<Args> | Filters<Args, Reply>

/** Nothing, for this reason. */
export interface Open {
  readonly kind: 'open'
  readonly reason: string
}

/** What the call would need and its token does not have. */
export interface Refusal extends Ask {
  /**
   * What the caller is told instead of that it may not: what it would be told if there were nothing. A caller that may not read a
   * thing must not learn from a refusal that it is there. The log tells of the refusal all the same.
   */
  readonly instead?: Failure
}

/** Undefined: it may go on. */
export type Refused<Args> = (authorizer: Authorizer, args: Args, state: ReadTransaction) => Refusal | undefined

export interface Asks<Args> {
  readonly kind: 'asks'
  refused(authorizer: Authorizer, args: Args, state: ReadTransaction): Refusal | undefined
}

/** `serve` itself asks, for this reason. */
export interface Within {
  readonly kind: 'within'
  readonly reason: string
}

export interface Filters<Args, Reply> {
  readonly kind: 'filters'
  refused?(authorizer: Authorizer, args: Args, state: ReadTransaction): Refusal | undefined
  /** The secret of a token whose rights count instead of the caller's once nothing is refused; empty: the caller's do. */
  onBehalfOf?(args: Args, state: ReadTransaction): string
  /**
   * What of the value the token may see; pure. Where nothing is dropped it must be the very same value: others share it, and
   * how it was encoded. `state`: in which the value was found, or one in which it would be found the same.
   */
  filter(authorizer: Authorizer, value: Reply, args: Args, state: ReadTransaction): Reply
  /** At which index what the token may see last changed. */
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

/** The question if it is answered with no. */
export function refusedUnlessAllowed(
  authorizer: Authorizer,
  resource: Ask['resource'],
  name: string,
  right: Ask['right'],
): Ask | undefined {
  return authorizer.allows(resource, name, right) ? undefined : { resource, name, right }
}

/** The refusal of a change: of a thing that its caller may not even read, as if it were not there. */
export function refusedOrAbsent(authorizer: Authorizer, ask: Ask, notThere: Failure): Refusal | undefined {
  const { resource, name, right } = ask
  if (authorizer.allows(resource, name, right)) return undefined
  return authorizer.allows(resource, name, 'read') ? ask : { ...ask, instead: notThere }
}

/** The list without what is not kept; the very same list where all is. */
export function keptOf<T>(list: readonly T[], keep: (each: T) => boolean): readonly T[] {
  return list.every(keep) ? list : list.filter(keep)
}

/** `cause` is for the caller to read, and holds no secret. Reference: access-control.md#token-lacks-right. */
export function permissionDenied(cause = ''): Failure {
  return { kind: 'permission-denied', message: cause === '' ? 'Permission denied' : `Permission denied: ${cause}` }
}
