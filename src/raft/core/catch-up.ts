import type { LogIndex } from '../../model/log-position.ts'
import type { RaftCore } from './state.ts'

/**
 * Whether this server has applied everything that was committed when it first heard a leader since its start. Until
 * then, its state may even be behind its own earlier state, because it does not know how far its log is committed.
 * 1. The first leader that it hears reports a commit index. Entries that this leader has committed in its own term, and
 *    everything before them, are within that index.
 * 2. A leader that has committed nothing in its term yet may know a lower commit index than the cluster's. But an
 *    applied entry of the present term shows that its leader has committed one, and everything that earlier terms
 *    committed comes before that entry (paper 8).
 */
export function hasCaughtUp(raft: RaftCore, applied: LogIndex): boolean {
  const told = raft.commitFirstTold ?? (raft.role.kind === 'leader' ? 0 : undefined)
  return told !== undefined && applied >= told && raft.log.termAt(applied) === raft.term
}

/**
 * Whether this server leads and has applied an entry of its own term: its state lacks nothing that an earlier leader
 * committed.
 */
export function hasAppliedOwnTerm({ role }: RaftCore, applied: LogIndex): boolean {
  return role.kind === 'leader' && applied >= role.ownFirstIndex
}
