import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'

/** Access control as endpoints and duties of a server see it, where it is on. */
export interface ServerAccess {
  /** The datacenter that owns policies and global tokens. */
  readonly primaryDatacenter: string
  /** The policy for a connection without a matching intention. */
  readonly defaultPolicy: 'allow' | 'deny'
  /** The secret of the master token, which the leader of the primary datacenter creates; empty: none. */
  readonly masterToken: string
  /** The rights of another token, by its accessor. */
  authorizerOf(accessor: string): Promise<Result<Authorizer, Failure>>
  /** Whether global tokens are replicated from the primary datacenter, so that local ones are possible. */
  readonly replicatesTokens: boolean
  /**
   * Servers of this datacenter and of the primary one that do not announce support for the new kind, in order of name.
   */
  missing(): readonly MissingServer[]
  /** The secret of the token with which this server reads what it replicates. */
  replicationToken(): string
  /** The data directory, where an operator puts files for the leader. */
  readonly dataDir: string
}

/** A server that keeps a datacenter in legacy mode. */
export interface MissingServer {
  readonly name: string
  readonly datacenter: string
  /** For people: `runs 1.3.1, which does not support it`. */
  readonly why: string
}

/** Access control as the routes of an agent see it, where it is on. */
export interface AgentAccess {
  readonly primaryDatacenter: string
  /** The policy for a connection without a matching intention. */
  readonly defaultPolicy: 'allow' | 'deny'
  /** Why a server is still in legacy mode, from `legacyModeFailure`. Clients leave this to the servers. */
  refusesNew(): Failure | undefined
  /** The token of calls without one; empty: the anonymous token. */
  defaultToken(): string
  /** Replaces a token of the agent itself until the agent ends; an empty secret clears it. */
  setToken(slot: AgentTokenSlot, secret: string): void
}

export type AgentTokenSlot = 'default' | 'agent' | 'agent-master' | 'replication' | 'mesh-replication'

/** The field's own line, because its clients look for it, followed by the missing servers. */
export function legacyModeFailure(missing: readonly MissingServer[]): Failure {
  const line = 'The ACL system is currently in legacy mode.'
  if (missing.length === 0) return { kind: 'legacy-access-control', message: line }
  const shown = missing.slice(0, missingShownMax).map(({ name, datacenter, why }) => `${name} in ${datacenter} ${why}`)
  const more = missing.length > missingShownMax ? [`and ${missing.length - missingShownMax} more`] : []
  return { kind: 'legacy-access-control', message: `${line} Missing: ${[...shown, ...more].join('; ')}` }
}

/** Maximum number of servers named in one answer. */
const missingShownMax = 16
