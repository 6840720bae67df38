import type { Result } from '../../base/result.ts'
import type { AgentSelf, RouteContext } from '../../features/contract/route-context.ts'
import type { Raft } from '../../raft/raft.ts'
import type { ForcedEnd } from '../boot/lifecycle.ts'
import type { AgentObserver, SeenState } from '../boot/observer.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { TlsMaterial } from '../settings/tls-settings.ts'

export interface StartOptions {
  readonly observer?: AgentObserver
  /** Reads the configuration again; the error says in words for people why the configuration is not accepted. */
  readonly reread?: () => Promise<Result<AgentConfig, string>>
  /** Called after the agent has applied a reloaded configuration. */
  readonly reloaded?: (config: AgentConfig, tls: TlsMaterial) => void
  /** Contents of the files that `config.tls` names; absent: the agent reads them. */
  readonly tls?: TlsMaterial
  /** Tells the configuration as `/v1/agent/self` shows it under DebugConfig: flat, secrets hidden. */
  readonly debugConfig?: () => AgentSelf['debugConfig']
}

/** A running agent without its HTTP, DNS and command-line interfaces. */
export interface Agent extends RouteContext {
  /** Raft on a server; undefined on a client. */
  readonly raft: Raft | undefined
  /** Undefined on a client. */
  readonly state: SeenState | undefined
  /**
   * Calls `use` once if the agent stops itself, because of a broken invariant, a failed disk, or what its surroundings
   * force on it.
   */
  onFatal(use: (failure: ForcedEnd | Error) => void): void
  /** Makes the agent stop itself, because one of its interfaces met a broken invariant. */
  raiseFatal(failure: Error): void
  /** Calls `use` once when the agent has left the pool on request, and wants to end. */
  onLeft(use: () => void): void
  /** Closes listeners, timers and disk work. Pending requests fail with `shutting-down`. */
  stop(): Promise<void>
}
