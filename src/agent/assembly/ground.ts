import type { Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Rpc } from '../../rpc/rpc.ts'
import type { ServerFacts } from '../../rpc/tls.ts'
import type { AgentTokens } from '../access/agent-tokens.ts'
import type { RunningAccess } from '../access/running-access.ts'
import type { FatalSignal } from '../boot/lifecycle.ts'
import type { SeenState } from '../boot/observer.ts'
import type { MemberSnapshot } from '../pool/member-snapshot.ts'
import type { WanPool } from '../pool/wan-pool.ts'
import type { Calls } from '../requests/asking/calls.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { TlsMaterial } from '../settings/tls-settings.ts'

/** The parts on which all other parts of an agent are built. */
export interface Ground {
  readonly env: Env
  readonly config: AgentConfig
  readonly nodeId: string
  /** Names this agent and boot in the identities of its writes. */
  readonly origin: string
  readonly rpc: Rpc
  /** The TLS settings as of the last reload. */
  readonly tls: { material: TlsMaterial }
  /** Facts from the pools about the server at an address. */
  readonly serverAt: (address: string) => ServerFacts | undefined
  readonly pool: Pool
  /** Present if there is a data directory. */
  readonly snapshot: MemberSnapshot | undefined
  /** Present on a server, unless that pool is turned off. */
  readonly wan: WanPool | undefined
  readonly fatal: FatalSignal
  /** Secrets of the tokens that the agent itself uses, as of now. */
  readonly tokens: AgentTokens
}

/** The part that differs between servers and clients. */
export interface Part {
  readonly calls: Calls
  /** Present on a server. */
  readonly raft: Raft | undefined
  /** Undefined: access control is off. */
  readonly access: RunningAccess | undefined
  /** Number of servers that this agent knows. */
  serverCount(): number
  /** Why the agent is not ready for requests; empty if it is. */
  reasonsNotReady(): readonly string[]
  /** Present on a server. */
  readonly state: SeenState | undefined
  /** Begins to serve other agents and to take part. */
  start(): Promise<void>
  /** Applies the settings that may change at run time. */
  reload(config: AgentConfig): void
  /** Runs before the agent leaves the pool: a leader hands over its leadership. */
  beforeLeave(): Promise<void>
  /**
   * Runs after the agent has left the pool: a server waits until it is removed from the Raft configuration, at most for
   * the drain time.
   */
  afterLeave(): Promise<Result<undefined, Failure>>
}
