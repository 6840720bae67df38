import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Failure } from '../../model/failure.ts'

/**
 * Resolves the rights of tokens. Tokens with equal rights share one authorizer object, so that work cached for it
 * serves all of them.
 */
export interface TokenResolver {
  /** The authorizer, if it is known in this turn and fresh enough; undefined: only `resolve` can tell. */
  now(token: string): Result<Authorizer, Failure> | undefined
  resolve(token: string): Promise<Result<Authorizer, Failure>>
  /**
   * The index of this server's state from which a resolved token has the rights that `now` returns; 0 on an agent that
   * keeps no state. It is greater than every index that was answered under earlier rights of the token.
   */
  since(token: string): number
  /**
   * Calls `use` once, never within this call, when the token's rights no longer match this authorizer, or the token is
   * gone.
   */
  onChange(token: string, authorizer: Authorizer, use: () => void): Closable
}
