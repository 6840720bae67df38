import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type {
  CheckDefinition,
  CheckFacts,
  CheckStatus,
  OfferedService,
  ServiceDefinition,
  ServiceFacts,
} from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { ManagedFacts } from '../../model/mesh-service.ts'
import type { UserEvent } from '../../model/remote-exec.ts'

/** A proxy that an agent runs as a process. */
export interface ManagedProxy {
  readonly proxy: ServiceFacts
  /** The service that it stands for; undefined: that service has been removed. */
  readonly target: ServiceFacts | undefined
  readonly managed: ManagedFacts
  /** The secret of the token that registered that service; empty: the default token. */
  readonly token: string
}

/** A service as its agent shows it. */
export type ShownService = ServiceFacts & Pick<OfferedService, 'weightless'>

/**
 * Services and checks that are registered on this agent. A change is on disk and synced to the catalog before it is
 * acknowledged; a failed sync is logged and retried later. Reference: agent.md#sync-to-the-catalog.
 */
export interface LocalServices {
  /** In order of ID. */
  services(): readonly ShownService[]
  /** In order of check ID. */
  checks(): readonly CheckFacts[]
  /** The one with this ID, in letters of any case; an agent may have thousands. */
  service(id: string): ShownService | undefined
  check(checkId: string): CheckFacts | undefined
  /** Those of the services that the agent runs as processes. */
  managedProxies(): readonly ManagedProxy[]
  /** Calls `use` after services were added, removed or changed. */
  onServicesChange(use: () => void): Closable
  /**
   * Replaces a service with the same ID; a check that stays keeps its status. `checks` decides about checks of the
   * service that the definition does not name: they are kept, or those that came over HTTP are removed.
   */
  registerService(
    definition: ServiceDefinition,
    checks?: 'keep-others' | 'drop-others',
  ): Promise<Result<undefined, Failure>>
  /** Removes the service with its checks. An unknown ID is not an error. */
  deregisterService(id: string): Promise<Result<undefined, Failure>>
  registerCheck(definition: CheckDefinition): Promise<Result<undefined, Failure>>
  deregisterCheck(checkId: string): Promise<Result<undefined, Failure>>
  /** The state that a client reports for a TTL check. */
  reportTtl(checkId: string, status: CheckStatus, output: string): Promise<Result<undefined, Failure>>
}

export interface ReceivedEvents {
  /** In order of arrival, the oldest first; their number is limited. */
  list(): readonly UserEvent[]
  /** Whether the agent has stopped, so that no further event arrives. */
  readonly isStopped: boolean
  /** Calls `use` after an event has arrived, and when the agent stops. */
  onChange(use: () => void): Closable
}
