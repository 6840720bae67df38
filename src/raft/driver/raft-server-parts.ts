import type { RaftLimits, RaftTiming } from '../core/options.ts'
import type { ServerId } from '../core/types.ts'
import type { KeptPeers } from '../opening/outage.ts'
import type { Storage } from '../opening/storage.ts'
import type { RaftObserver, RaftTransport, StateMachine } from '../raft.ts'
import type { SnapshotPolicy } from './snapshotting.ts'

export interface RaftServerParts {
  readonly id: ServerId
  readonly timing: RaftTiming
  readonly limits: RaftLimits
  readonly storage: Storage
  readonly stateMachine: StateMachine
  readonly transport: RaftTransport
  readonly observer: RaftObserver | undefined
  readonly keptPeers: KeptPeers | undefined
  readonly policy: SnapshotPolicy
  /** Called once if this server cannot continue; it has stopped. */
  readonly onFatal: (failure: Error) => void
}
