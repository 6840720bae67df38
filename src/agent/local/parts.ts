import type { Result } from '../../base/result.ts'
import type { TlsOptions } from '../../env/net.ts'
import type { LocalAgent } from '../../features/contract/local-agent.ts'
import type {
  CheckFacts,
  DeregisterRequest,
  NodeFacts,
  RegisterAllRequest,
  RegisterRequest,
  ServiceFacts,
} from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { StartFailure } from '../agent.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { RegistrantRights } from './alias-sight.ts'

/** What the catalog holds of one node. */
export interface NodeDump {
  readonly node: NodeFacts
  readonly services: readonly ServiceFacts[]
  readonly checks: readonly CheckFacts[]
}

/**
 * Secrets of the tokens with which an agent registers itself. Reference: access-control.md#special-agent-token,
 * access-control.md#special-default-user-token.
 */
export interface OwnTokens {
  /** Of its node. Empty: none. */
  readonly agent: string
  /** Stands in for services and checks without their own. Empty: none. */
  readonly default: string
}

/** Access control is off, or nobody gave this agent a token. */
export const noTokens: OwnTokens = { agent: '', default: '' }

/** The catalog as anti-entropy needs it. Calls may be held for a while when there is no leader. */
export interface CatalogClient {
  /** The node's own data go by themselves, and first: not every token of a service may write them. */
  readonly nodeApart: boolean
  /** As the leader knows it, so that it shows what was written before; null: the node is not there. */
  dump(node: string): Promise<Result<NodeDump | null, Failure>>
  register(request: RegisterRequest, token: string): Promise<Result<unknown, Failure>>
  /** Of each offer why it was refused; null: it is done. */
  registerAll(request: RegisterAllRequest, token: string): Promise<Result<readonly (string | null)[], Failure>>
  deregister(request: DeregisterRequest, token: string): Promise<Result<unknown, Failure>>
  /**
   * Every check on a node, as any server knows them, with the index at which they last changed: once that is greater than
   * `minIndex`, or a minute has passed. It ends early where `abandoned` says so.
   */
  checksOn(node: string, minIndex: number, abandoned: (use: () => void) => void): Promise<Result<ChecksOn, Failure>>
}

export interface ChecksOn {
  readonly checks: readonly CheckFacts[]
  readonly index: number
}

export interface LocalAgentParts {
  /** As they are now. Absent: none. */
  readonly tokens?: OwnTokens
  readonly config: AgentConfig
  readonly nodeId: string
  readonly catalog: CatalogClient
  /** What tokens may do, by which aliases of checks see; absent or undefined: access control is off. */
  readonly rights?: RegistrantRights | undefined
  /** How many agents the pool has: with more of them each syncs less often. */
  nodeCount(): number
  /** How checks over HTTP and gRPC speak TLS where they are to be the agent's own; absent or undefined: as anybody would. */
  checkTls?(): TlsOptions | undefined
}

/** What `createLocalAgent` gives. */
export interface RunningLocalAgent extends LocalAgent {
  /** What this agent says of its node in the catalog. */
  nodeFacts(): NodeFacts
  /** Why this agent cannot be synced to the catalog; empty: nothing stands in the way. */
  readonly syncTroubles: readonly string[]
  /**
   * Takes up the definitions of the configuration and those kept on disk, and begins to run checks. Refused where a
   * definition of the configuration does not hold, or the directories cannot be read; nothing runs then.
   */
  start(): Promise<Result<undefined, StartFailure>>
  /** A server has come within reach, or leads now: everything is compared with the catalog soon. */
  trigger(): void
  /**
   * Takes over services, checks, check settings and node metadata of a changed configuration. What is unchanged goes on as
   * it is; what is changed is replaced in one step; what came over the API stays. Refused: nothing has changed.
   */
  reload(config: AgentConfig): Promise<Result<undefined, Failure>>
  /** The agent leaves: from now on the catalog is told nothing, so that the node that is taken out does not come back. */
  silence(): void
  /** The section `agent` of `svc info`. */
  stats(): Readonly<Record<string, string>>
  /** Checks end, and what is under way on disk. Nothing is taken out of the catalog. */
  stop(): Promise<void>
}
