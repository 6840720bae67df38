import type { Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import type { Pool } from '../gossip/pool.ts'
import type { Failure } from '../model/failure.ts'
import type { Raft } from '../raft/raft.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { ServerFacts } from '../rpc/tls.ts'
import type { AgentTokens } from './access/agent-tokens.ts'
import type { RunningAccess } from './access/running-access.ts'
import type { SeenState } from './agent.ts'
import type { Calls } from './asking/calls.ts'
import type { FatalSignal } from './once-signal.ts'
import type { MemberSnapshot } from './pool/member-snapshot.ts'
import type { WanPool } from './pool/wan-pool.ts'
import type { AgentConfig } from './settings/agent-config.ts'
import type { TlsMaterial } from './settings/tls-settings.ts'

/** The parts that everything else of an agent is built from. */
export interface Ground {
  readonly env: Env
  readonly config: AgentConfig
  readonly nodeId: string
  /** Names this agent and boot in the identities of its writes. */
  readonly origin: string
  readonly rpc: Rpc
  /** As the last reload has left it. */
  readonly tls: { material: TlsMaterial }
  /** Facts from the pools about the server at an address. */
  readonly serverAt: (address: string) => ServerFacts | undefined
  readonly pool: Pool
  /** Where there is a data directory. */
  readonly snapshot: MemberSnapshot | undefined
  /** On a server, unless it is closed. */
  readonly wan: WanPool | undefined
  readonly fatal: FatalSignal
  /** That the agent itself goes by, as they are now. */
  readonly tokens: AgentTokens
}

/** In what servers and clients differ. */
export interface Part {
  readonly calls: Calls
  /** On a server. */
  readonly raft: Raft | undefined
  /** Undefined: access control is off. */
  readonly access: RunningAccess | undefined
  /** Servers that it knows of. */
  serverCount(): number
  /** Why it is not ready to be asked; none: it is. */
  reasonsNotReady(): readonly string[]
  /** On a server. */
  readonly state: SeenState | undefined
  /** Serves other agents and takes part, from now on. */
  start(): Promise<void>
  /** Takes over what may change while it runs. */
  reload(config: AgentConfig): void
  /** What comes before leaving the pool: a leader hands over. */
  beforeLeave(): Promise<void>
  /** What comes after: a server waits to be taken out of the consensus group, within the drain time. */
  afterLeave(): Promise<Result<undefined, Failure>>
}
