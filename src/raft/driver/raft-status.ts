import type { LogIndex } from '../../model/log-position.ts'
import type { CoreStatus } from '../core/status.ts'
import type { RaftStatus } from '../raft.ts'
import type { Addresses } from './addresses.ts'

/** Member by member, for it is asked for with every request: copying by spread costs several times as much. */
export function raftStatusOf(
  core: CoreStatus,
  addresses: Addresses,
  appliedIndex: LogIndex,
  pendingProposals: number,
  diskIsFull: boolean,
): RaftStatus {
  const { leader } = core
  return {
    role: core.role,
    term: core.term,
    leader: leader === undefined ? undefined : { id: leader, address: addresses.of(leader) },
    commitIndex: core.commitIndex,
    lastIndex: core.lastIndex,
    lastTerm: core.lastTerm,
    snapshotIndex: core.snapshotIndex,
    snapshotTerm: core.snapshotTerm,
    configuration: core.configuration,
    configurationIndex: core.configurationIndex,
    lastContactMs: core.lastContactMs,
    appliedIndex,
    pendingProposals,
    diskIsFull,
  }
}
