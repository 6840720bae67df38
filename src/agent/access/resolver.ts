import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Failure } from '../../model/failure.ts'

/**
 * How an agent comes to know what a token may do. Whose rights are the same gets the very same authorizer, so that what was
 * made for one serves others.
 */
export interface TokenResolver {
  /** Where that is known in this turn, and fresh enough; undefined: only `resolve` can tell. */
  now(token: string): Result<Authorizer, Failure> | undefined
  resolve(token: string): Promise<Result<Authorizer, Failure>>
  /**
   * The index of this server's state from which the token may do what `now` says, of a token that was resolved; 0 on an agent
   * that keeps no state. Beyond every index that was answered for other rights that it had.
   */
  since(token: string): number
  /** Calls `use` once, never within this call, when the token may do something else than this authorizer says, or is none. */
  onChange(token: string, authorizer: Authorizer, use: () => void): Closable
}
