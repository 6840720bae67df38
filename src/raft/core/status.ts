import { type LogIndex, noIndex, noTerm, type Term } from '../../model/log-position.ts'
import { leaderOf, type RaftCore } from './state.ts'
import type { Configuration, RoleName, ServerId } from './types.ts'

/** The visible part of the core. A copy. */
export interface CoreStatus {
  readonly role: RoleName
  readonly term: Term
  readonly leader: ServerId | undefined
  readonly commitIndex: LogIndex
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
  readonly snapshotIndex: LogIndex
  readonly snapshotTerm: Term
  readonly configuration: Configuration
  readonly configurationIndex: LogIndex
  /** Milliseconds since this server heard from a leader; 0 on the leader; undefined if it has not in this boot. */
  readonly lastContactMs: number | undefined
}

export function statusOf(raft: RaftCore, nowMs: number): CoreStatus {
  const { configuration, index } = raft.configurations.latest
  const heard = raft.leaderHeardMs
  return {
    role: raft.role.kind,
    term: raft.term,
    leader: leaderOf(raft),
    commitIndex: raft.commit,
    lastIndex: raft.log.lastIndex,
    lastTerm: raft.log.lastTerm,
    snapshotIndex: raft.snapshot?.index ?? noIndex,
    snapshotTerm: raft.snapshot?.term ?? noTerm,
    configuration,
    configurationIndex: index,
    lastContactMs: raft.role.kind === 'leader' ? 0 : heard === undefined ? undefined : nowMs - heard,
  }
}
