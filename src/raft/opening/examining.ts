import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { greater, type LogIndex, noIndex, noTerm, type Term } from '../../model/log-position.ts'
import type { ServerId } from '../core/types.ts'
import { type FoundSnapshots, findSnapshots } from '../log/found-snapshots.ts'
import { type LogFailure, lossText } from '../log/log-loss.ts'
import { type OldLogs, oldLogName } from '../log/old-format.ts'
import { damagedAt, missingFiles, type RaftOpenFailure } from '../log/open-failure.ts'
import { type RecoveredLog, recoverLog } from '../log/recovery.ts'
import { continues, type ReplayedLog } from '../log/replay.ts'
import { type LogFormat, logFormats } from '../log/segment-file.ts'
import type { StoredSnapshot } from '../log/stored-snapshot.ts'
import type { StateMachine } from '../raft.ts'
import { acceptLoss } from './accepted-loss.ts'

/** The paths of a server's files. */
export interface Paths {
  readonly dataDir: string
  readonly raft: string
  readonly log: string
  /** Parent directory of the log. */
  readonly parent: string
  readonly format: LogFormat
  readonly snapshots: string
}

export function pathsOf(dataDir: string, oldLogs: OldLogs): Paths {
  const raft = `${dataDir}/raft`
  const place =
    oldLogs === 'kept'
      ? { log: `${dataDir}/${oldLogName}`, parent: dataDir, format: logFormats.mdb }
      : { log: `${raft}/log`, parent: raft, format: logFormats.segments }
  return { dataDir, raft, ...place, snapshots: `${raft}/snapshots` }
}

/** What a start has read: log and snapshots belong together. Nothing was changed. */
export interface Found {
  readonly snapshots: FoundSnapshots
  /** Undefined: none was written yet. */
  readonly log: RecoveredLog | undefined
}

export interface ExamineOptions {
  readonly id: ServerId
  readonly stateMachine: StateMachine
  /** A damaged log continues without what it has lost, if that is safe (accepted-loss.ts). */
  readonly acceptLostLog: boolean
}

/**
 * Reads everything, and refuses files that do not belong together. A loss that an operator accepted is first removed
 * from the log; then it is read like any other.
 */
export async function examineOrAccept(
  env: Env,
  paths: Paths,
  { stateMachine, id, acceptLostLog }: ExamineOptions,
): Promise<Result<Found, RaftOpenFailure>> {
  const found = await examine(env, paths, stateMachine)
  if (!acceptLostLog) return found.ok ? found : err(found.error.failure)
  if (found.ok) {
    env.log.write('warn', 'raft', '-accept-lost-log: nothing is lost: start without this flag from now on')
    return found
  }
  const { failure, newest } = found.error
  if (failure.kind !== 'damaged-log') return err(failure)
  const { log, parent, format, snapshots } = paths
  const accepted = await acceptLoss(env, { id, log, parent, format, snapshots, failure, snapshot: newest?.meta })
  if (!accepted.ok) return accepted
  const again = await examine(env, paths, stateMachine)
  return again.ok ? again : err(again.error.failure)
}

interface Refused {
  readonly failure: LogFailure
  readonly newest: StoredSnapshot | undefined
}

/** Reads log and snapshots, and refuses them if they do not belong together. */
async function examine(env: Env, paths: Paths, stateMachine: StateMachine): Promise<Result<Found, Refused>> {
  const snapshots = await findSnapshots(env.disk, paths.snapshots, () => stateMachine.restore())
  if (!snapshots.ok) return err({ failure: snapshots.error, newest: undefined })
  const { newest, damaged } = snapshots.value
  const log = await recoverLog(env.disk, paths.log, paths.format)
  const failure = log.ok ? disagreement(log.value, paths, snapshots.value) : log.error
  if (log.ok && failure === undefined) return ok({ snapshots: snapshots.value, log: log.value })
  if (failure?.loss === undefined) return err({ failure: failure as LogFailure, newest })
  const message = `${failure.message}; ${lossText(failure.loss, newest?.meta.index ?? noIndex)}`
  return err({
    failure: { ...failure, message: damaged.reduce((all, it) => `${all}; ${it.message}`, message) },
    newest,
  })
}

/** Why log and snapshots do not belong to one server. */
function disagreement(log: RecoveredLog | undefined, paths: Paths, found: FoundSnapshots): LogFailure | undefined {
  const { newest, damaged } = found
  if (log === undefined) {
    const hasSnapshot = newest !== undefined || damaged.length > 0
    return hasSnapshot ? missingFiles(paths.log, 'there is no log beside the snapshots') : undefined
  }
  const { baseIndex, hardState, entries } = log.log
  if (baseIndex > (newest?.meta.index ?? 0)) return gapBefore(baseIndex, paths, found)
  const last = log.segments.at(-1)?.path ?? paths.log
  const lastTerm = greater(entries.at(-1)?.term ?? noTerm, termShownBy(newest, log.log))
  if (hardState.term < lastTerm) {
    return damagedAt(last, 0, `it holds entries of term ${lastTerm}, but its newest recorded term is ${hardState.term}`)
  }
  return shorterThanSnapshot(log, last, newest)
}

/**
 * The term that the log must have reached because of the snapshot. One that was received, or taken of entries that only
 * other servers had made durable, may be on the disk before the log has written that it follows a leader of this term.
 */
function termShownBy(newest: StoredSnapshot | undefined, log: ReplayedLog): Term {
  if (newest === undefined) return noTerm
  const { meta, origin } = newest
  const isAhead = origin?.kind === 'received' || (origin?.kind === 'taken' && origin.logIndex < meta.index)
  return isAhead && !continues(log, meta) ? noTerm : meta.term
}

/** A snapshot that this server took says how far its log reached (`SnapshotOrigin`). */
function shorterThanSnapshot(
  { log, tail }: RecoveredLog,
  path: string,
  newest: StoredSnapshot | undefined,
): LogFailure | undefined {
  if (newest?.origin?.kind !== 'taken' || newest.origin.logIndex <= log.lastIndex) return undefined
  const { logIndex } = newest.origin
  const what = `it ends with entry ${log.lastIndex}, and a snapshot that was taken here says that it reached ${logIndex}`
  const loss = { before: log, heldUpTo: logIndex, term: greater(log.hardState.term, newest.meta.term) }
  return { ...damagedAt(path, tail.end, what), loss: { ...loss, configurations: [], configurationIndex: noIndex } }
}

/** The log begins after `baseIndex`, and no complete snapshot reaches that index. */
function gapBefore(baseIndex: LogIndex, paths: Paths, { newest, damaged }: FoundSnapshots): RaftOpenFailure {
  const worst = damaged[0]
  if (worst !== undefined) return worst
  const covered = newest === undefined ? 'there is no snapshot' : `the newest snapshot ends at ${newest.meta.index}`
  return missingFiles(paths.log, `the log begins after entry ${baseIndex}, and ${covered}: files are missing`)
}
