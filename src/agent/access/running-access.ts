import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { WithServerCalls } from '../../features/contract/route-context.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { AccessMode } from '../pool/pool-servers.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { AgentTokens } from './agent-tokens.ts'
import type { Authorizers } from './authorizers.ts'

/** Access control of one agent, where it is on. */
export interface RunningAccess {
  readonly resolver: TokenResolver
  readonly authorizers: Authorizers
  mode(): AccessMode
  /** Why this server cannot serve the new kind of tokens yet; absent on a client, which leaves that to the servers. */
  refusesNew(): Failure | undefined
}

/** The parts of an agent that its access control is built from. */
export interface AccessGround {
  readonly env: Env
  readonly config: AgentConfig
  readonly tokens: AgentTokens
  readonly pool: Pool
  /** Undefined: this agent is not in the pool of all datacenters. */
  readonly wan: { readonly pool: Pool } | undefined
}

/** Asks servers: as far as access control needs it. */
export type AskServers = WithServerCalls

/** Resolves the rights of the tokens that registered checks. */
export interface RegistrantRights {
  /**
   * The rights, if known in this turn; undefined: only `resolve` can tell. An empty token stands for the default one.
   */
  now(token: string): Result<Authorizer, Failure> | undefined
  resolve(token: string): Promise<Result<Authorizer, Failure>>
}

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
  since(token: string): ModifyIndex
  /**
   * Calls `use` once, never within this call, when the token's rights no longer match this authorizer, or the token is
   * gone.
   */
  onChange(token: string, authorizer: Authorizer, use: () => void): Closable
}
