import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { CheckDefinition, CheckFacts, CheckStatus, ServiceDefinition, ServiceFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { ManagedFacts } from '../../model/mesh-service.ts'
import type { UserEvent } from '../../model/user-event.ts'

/** A proxy that an agent runs as a process. */
export interface ManagedProxy {
  readonly proxy: ServiceFacts
  /** The service that it stands for; undefined: it is not there any more. */
  readonly target: ServiceFacts | undefined
  readonly managed: ManagedFacts
  /** The secret with which that service was registered; empty: the one that stands in. */
  readonly token: string
}

/**
 * Services and checks that this agent was told of. A change is kept on disk and synced to the catalog before it is
 * answered for; a sync that fails is logged and made up for later. Reference: agent.md#sync-to-the-catalog.
 */
export interface LocalAgent {
  /** In order of ID. */
  services(): readonly ServiceFacts[]
  /** In order of check ID. */
  checks(): readonly CheckFacts[]
  /** Of these services those that the agent runs itself. */
  managedProxies(): readonly ManagedProxy[]
  /** Calls `use` after services came, went or changed. */
  onServicesChange(use: () => void): Closable
  /**
   * The same ID replaces; the status of a check that stays is carried over. `checks`: what becomes of checks of the service that
   * the definition does not name. They are kept, or those that came over HTTP are dropped.
   */
  registerService(
    definition: ServiceDefinition,
    checks?: 'keep-others' | 'drop-others',
  ): Promise<Result<undefined, Failure>>
  /** With its checks. An ID that nobody has is no failure. */
  deregisterService(id: string): Promise<Result<undefined, Failure>>
  registerCheck(definition: CheckDefinition): Promise<Result<undefined, Failure>>
  deregisterCheck(checkId: string): Promise<Result<undefined, Failure>>
  /** The state that a client reports for a TTL check. */
  reportTtl(checkId: string, status: CheckStatus, output: string): Promise<Result<undefined, Failure>>
}

export interface ReceivedEvents {
  /** The oldest first, a bounded number. */
  list(): readonly UserEvent[]
  /** Calls `use` after one has come. */
  onChange(use: () => void): Closable
}
