import { invariant } from '../../base/invariant.ts'
import { greater, indexAfter, type LogIndex, noIndex, noTerm, type Term } from '../../model/log-position.ts'
import { ConfigurationHistory, decodeConfiguration, noServers } from './configuration.ts'
import { Durability } from './durability.ts'
import type { RaftEffect } from './effects.ts'
import { RaftLog } from './log.ts'
import type { Outgoing } from './messages.ts'
import type { RaftLimits, RaftTiming } from './options.ts'
import { type HeardRhythm, newRhythm } from './patience.ts'
import type { Leader, LeadershipTransfer, Role } from './role-state.ts'
import type { Configuration, Entry, Recovered, RoleName, ServerId, SnapshotMeta } from './types.ts'

/** The effects of one step so far. The truncation comes before the entries. */
interface Turn {
  effects: RaftEffect[]
  hardStateChanged: boolean
  truncateFrom: LogIndex | undefined
  entries: Entry[]
  thenSend: Outgoing[]
}

/** The state of one server's Raft core. Only `step` changes it. */
export interface RaftCore {
  readonly id: ServerId
  readonly timing: RaftTiming
  readonly limits: RaftLimits
  term: Term
  votedFor: ServerId | undefined
  role: Role
  readonly log: RaftLog
  readonly durability: Durability
  /** Invariant: never falls; log.baseIndex <= snapshot index <= applied <= commit <= log.lastIndex. */
  commit: LogIndex
  /** Committed entries up to here were passed on in `apply` or covered by `install-snapshot`. */
  applied: LogIndex
  snapshot: SnapshotMeta | undefined
  configurations: ConfigurationHistory
  /** Index of the newest configuration that was reported as committed. */
  configurationCommitTold: LogIndex
  transfer: LeadershipTransfer | undefined
  /** When this server last heard the leader of its term; `undefined` before the first time in this boot. */
  leaderHeardMs: number | undefined
  /** How regularly it hears the leader that it follows. */
  rhythm: HeardRhythm
  /** The commit index of the first leader that was heard from in this boot. */
  commitFirstTold: LogIndex | undefined
  /** Until then this server stays loyal to its leader and ignores candidates. */
  loyalUntilMs: number
  /** The election timer counts from here: the leader was heard, a vote was granted, or a role ended. */
  quietSinceMs: number
  /** Index of the configuration without this server that it has logged. */
  toldOutside: LogIndex | undefined
  /**
   * Number of times that the election timer has fired since this server saw that its leader's process has ended, which
   * shortens the timer (`outbox.ts`). Undefined while it knows of no such event.
   */
  hurriedRounds: number | undefined
  readonly told: { role: RoleName; term: Term; leader: ServerId | undefined }
  readonly turn: Turn
}

interface RaftOptions {
  readonly id: ServerId
  readonly recovered: Recovered
  readonly timing: RaftTiming
  readonly limits: RaftLimits
}

/**
 * A server as restored from its disk: a follower that knows no leader, and knows only the snapshot to be committed. Its
 * first event is `started`. Throws if the recovered data cannot be the state of any server.
 */
export function createRaft({ id, recovered, timing, limits }: RaftOptions): RaftCore {
  const { hardState, snapshot } = recovered
  invariant(id !== '', 'a server has an ID')
  invariant(timing.leaderLeaseMs <= timing.heartbeatTimeoutMs, 'no lease outlives the loyalty of the voters', {
    leaderLeaseMs: timing.leaderLeaseMs,
    heartbeatTimeoutMs: timing.heartbeatTimeoutMs,
  })
  const { log, configurations } = restored(recovered)
  const lastTerm = greater(log.lastTerm, snapshot?.term ?? noTerm)
  invariant(hardState.term >= lastTerm, 'no entry is newer than the term', { term: hardState.term, lastTerm })
  const committed = snapshot?.index ?? noIndex
  return {
    id,
    timing,
    limits,
    term: hardState.term,
    votedFor: hardState.votedFor,
    role: { kind: 'follower', leader: undefined },
    log,
    durability: new Durability(log.lastIndex, hardState.term, limits),
    commit: committed,
    applied: committed,
    snapshot,
    configurations,
    configurationCommitTold: snapshot?.configurationIndex ?? noIndex,
    transfer: undefined,
    leaderHeardMs: undefined,
    rhythm: newRhythm(Number.NEGATIVE_INFINITY),
    commitFirstTold: undefined,
    loyalUntilMs: Number.NEGATIVE_INFINITY,
    quietSinceMs: Number.NEGATIVE_INFINITY,
    toldOutside: undefined,
    hurriedRounds: undefined,
    told: { role: 'follower', term: hardState.term, leader: undefined },
    turn: { effects: [], hardStateChanged: false, truncateFrom: undefined, entries: [], thenSend: [] },
  }
}

/**
 * Log and configurations from the disk. Entries that the snapshot covers may still be there, or all end below it. If
 * the entry at the snapshot's index is another one, the server stopped between storing a received snapshot and dropping
 * its old log: that log does not continue from the snapshot and is dropped now (planted bugs 12 and 13).
 */
function restored({ snapshot, entries }: Recovered): { log: RaftLog; configurations: ConfigurationHistory } {
  const snapshotIndex = snapshot?.index ?? noIndex
  const configurations = new ConfigurationHistory(
    snapshot?.configuration ?? noServers,
    snapshot?.configurationIndex ?? noIndex,
  )
  const first = entries[0]?.index ?? indexAfter(snapshotIndex)
  invariant(first <= snapshotIndex + 1, 'the log has no gap after the snapshot', { first, snapshotIndex })
  const covering = entries[snapshotIndex - first]
  if (first <= snapshotIndex && covering?.term !== snapshot?.term) {
    return { log: new RaftLog(snapshotIndex, snapshot?.term ?? noTerm), configurations }
  }
  // The term before the first entry is not on disk; the first entry itself serves as the base.
  const base = first <= snapshotIndex ? entries[0] : undefined
  const log = new RaftLog(base?.index ?? snapshotIndex, base?.term ?? snapshot?.term ?? noTerm)
  for (const entry of base === undefined ? entries : entries.slice(1)) {
    log.append(entry)
    if (entry.kind !== 'configuration' || entry.index <= snapshotIndex) continue
    const configuration = decodeConfiguration(entry.payload)
    invariant(configuration.ok, 'a configuration in the own log can be read', { index: entry.index })
    configurations.append(configuration.value, entry.index)
  }
  return { log, configurations }
}

export function leaderOf(raft: RaftCore): ServerId | undefined {
  if (raft.role.kind === 'leader') return raft.id
  return raft.role.kind === 'follower' ? raft.role.leader : undefined
}

/** The configuration that this server uses: the latest in its log, committed or not (thesis 4.1). */
export function configurationOf(raft: RaftCore): Configuration {
  return raft.configurations.latest.configuration
}

export function hasCommittedInOwnTerm(raft: RaftCore, leader: Leader): boolean {
  return raft.commit >= leader.ownFirstIndex
}
