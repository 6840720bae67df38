import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'

/** What the endpoints and duties of a server know of access control, where it is on. */
export interface ServerAccess {
  /** The datacenter that owns policies and global tokens. */
  readonly primaryDatacenter: string
  /** What holds where no intention says anything of a connection. */
  readonly defaultPolicy: 'allow' | 'deny'
  /** The secret of the token that the leader of the primary datacenter makes; empty: none. */
  readonly masterToken: string
  /** What another token may do, by its accessor. */
  authorizerOf(accessor: string): Promise<Result<Authorizer, Failure>>
  /** Global tokens are copied from the primary datacenter, and there may be local ones. */
  readonly replicatesTokens: boolean
  /** Servers of this datacenter and of the primary one that do not say that they support the new kind, in order of name. */
  missing(): readonly MissingServer[]
  /** The secret of the token with which this server reads what it copies. */
  replicationToken(): string
  /** Where the leader finds files that an operator puts there: the data directory. */
  readonly dataDir: string
}

/** A server that keeps a datacenter in legacy mode. */
export interface MissingServer {
  readonly name: string
  readonly datacenter: string
  /** For people: `runs 1.3.1, which does not support it`. */
  readonly why: string
}

/** What the routes of an agent know of access control, where it is on. */
export interface AgentAccess {
  readonly primaryDatacenter: string
  /** What holds where no intention says anything of a connection. */
  readonly defaultPolicy: 'allow' | 'deny'
  /** On a server that is still in legacy mode: why, as `legacyModeFailure` says it. Clients leave it to the servers. */
  refusesNew(): Failure | undefined
  /** The token that stands in where a call brings none; empty: the anonymous one. */
  defaultToken(): string
  /** Takes the place of a token of the agent itself until it ends; empty clears it. */
  setToken(slot: AgentTokenSlot, secret: string): void
}

export type AgentTokenSlot = 'default' | 'agent' | 'agent-master' | 'replication' | 'mesh-replication'

/** The field's own line, because its clients look for it, and then the servers that are missing. */
export function legacyModeFailure(missing: readonly MissingServer[]): Failure {
  const line = 'The ACL system is currently in legacy mode.'
  if (missing.length === 0) return { kind: 'legacy-access-control', message: line }
  const shown = missing.slice(0, missingShownMax).map(({ name, datacenter, why }) => `${name} in ${datacenter} ${why}`)
  const more = missing.length > missingShownMax ? [`and ${missing.length - missingShownMax} more`] : []
  return { kind: 'legacy-access-control', message: `${line} Missing: ${[...shown, ...more].join('; ')}` }
}

/** Servers named in one answer. */
const missingShownMax = 16
