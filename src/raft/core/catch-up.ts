import type { LogIndex } from '../../model/log-position.ts'
import type { RaftCore } from './state.ts'

/**
 * Whether what is applied here holds all that was committed when this server first heard of a leader since it started.
 * Until then it may lack even what it once had itself, for it does not know of its own log how far that is committed.
 * 1. The first leader heard says what it knows to be committed. What it has committed in its own term, and all before
 *    that, is no further.
 * 2. A leader that has committed nothing in its term yet may know of less than there is. But an applied entry of the
 *    present term means that its leader has: then all that earlier terms committed comes before that entry (paper 8).
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
