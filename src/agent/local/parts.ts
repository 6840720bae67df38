import { compareText } from '../../base/bytes.ts'
import type { Result } from '../../base/result.ts'
import type { TlsOptions } from '../../env/net.ts'
import type { LocalServices } from '../../features/contract/local-services.ts'
import type {
  CheckFacts,
  DeregisterRequest,
  NodeFacts,
  RegisterAllRequest,
  RegisterRequest,
  ServiceFacts,
} from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { segmentMetaKey } from '../../model/naming/names.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/** The catalog's entries for one node. */
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
  /** For the node itself; empty: none. */
  readonly agent: string
  /** For services and checks without a token of their own; empty: none. */
  readonly default: string
}

/** Used if access control is off, or the agent was given no token. */
export const noTokens: OwnTokens = { agent: '', default: '' }

/** The catalog as anti-entropy needs it. Calls may be held for a while when there is no leader. */
export interface CatalogClient {
  /** The node's own data are sent separately, and first: not every token of a service may write them. */
  readonly nodeApart: boolean
  /** Read from the leader, so that it shows all earlier writes; null if the node does not exist. */
  dump(node: string): Promise<Result<NodeDump | null, Failure>>
  register(request: RegisterRequest, token: string): Promise<Result<unknown, Failure>>
  /** For each offer, why it was refused; null if it was registered. */
  registerAll(request: RegisterAllRequest, token: string): Promise<Result<readonly (string | null)[], Failure>>
  deregister(request: DeregisterRequest, token: string): Promise<Result<unknown, Failure>>
  /**
   * Every check on a node, read from any server, with the index of their last change: returns once that is greater than
   * `minIndex`, or a minute has passed. It ends early when `abandoned` calls back.
   */
  checksOn(
    node: string,
    minIndex: ModifyIndex,
    abandoned: (use: () => void) => void,
  ): Promise<Result<ChecksOn, Failure>>
}

export interface ChecksOn {
  readonly checks: readonly CheckFacts[]
  readonly index: ModifyIndex
}

export interface LocalServicesParts {
  /** The tokens as of now. Absent: none. */
  readonly tokens?: OwnTokens
  readonly config: AgentConfig
  readonly nodeId: string
  readonly catalog: CatalogClient
  /** Resolves the rights of tokens, which decide what alias checks see; absent or undefined: access control is off. */
  readonly rights?: RegistrantRights | undefined
  /** Number of agents in the pool: the more there are, the less often each one syncs. */
  nodeCount(): number
  /** TLS settings of checks over HTTP and gRPC that use the agent's certificate; absent or undefined: none. */
  checkTls?(): TlsOptions | undefined
}

/** The local services as `createLocalServices` returns them. */
export interface RunningLocalServices extends LocalServices {
  /** The data that this agent registers about its node. */
  nodeFacts(): NodeFacts
  /** Why this agent cannot be synced to the catalog; empty: nothing stands in the way. */
  readonly syncTroubles: readonly string[]
  /**
   * Takes the definitions of the configuration and those stored on disk, and starts the checks. Refused if a definition
   * of the configuration is invalid, or the directories cannot be read; no check runs then.
   */
  start(): Promise<Result<undefined, StartFailure>>
  /** A server has become reachable, or another one leads: compares everything with the catalog soon. */
  trigger(): void
  /**
   * Applies the services, checks, check settings and node metadata of a changed configuration. Unchanged ones keep
   * running, changed ones are replaced in one step, and those that came over the API stay. If it is refused, nothing
   * has changed.
   */
  reload(config: AgentConfig): Promise<Result<undefined, Failure>>
  /** The agent leaves: it sends nothing to the catalog from now on, so that its removed node does not reappear. */
  silence(): void
  /** The section `agent` of `svc info`. */
  stats(): Readonly<Record<string, string>>
  /** Stops the checks and settles when disk work is done. Nothing is removed from the catalog. */
  stop(): Promise<void>
}

/** The data that an agent registers about its own node. Reference: catalog.md#node. */
export function nodeFactsOf(config: AgentConfig, nodeId: string): NodeFacts {
  const meta: [string, string][] = [...Object.entries(config.nodeMeta), [segmentMetaKey(config.naming), '']]
  const wan = ['wan', config.wan.advertiseAddress] as const
  return {
    id: nodeId,
    node: config.nodeName,
    address: config.advertiseAddress,
    taggedAddresses: hasBehaviour(config.release, 'lan-address-tagged')
      ? [['lan', config.advertiseAddress], wan]
      : [wan],
    meta: meta.sort(([a], [b]) => compareText(a, b)),
  }
}
