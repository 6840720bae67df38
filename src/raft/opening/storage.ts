import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { greater, type LogIndex, noIndex, noTerm } from '../../model/log-position.ts'
import type { Recovered, ServerId } from '../core/types.ts'
import { makeDirectories, removeFiles } from '../log/disk-steps.ts'
import { type DurableLog, type LogChange, type LogListener, logChange } from '../log/durable-log.ts'
import { type FoundSnapshots, findSnapshots } from '../log/found-snapshots.ts'
import { type LogFailure, lossText } from '../log/log-loss.ts'
import { MemoryFiles, MemoryLog } from '../log/memory-files.ts'
import { migrateOldLog } from '../log/migration.ts'
import { type OldLogs, oldLogName, refuseOldFormat } from '../log/old-format.ts'
import { damagedAt, diskTrouble, missingFiles, type RaftOpenFailure } from '../log/open-failure.ts'
import { createLog } from '../log/opening.ts'
import { type RecoveredLog, recoverLog } from '../log/recovery.ts'
import { continues, type ReplayedLog } from '../log/replay.ts'
import { type LogFormat, logFormats } from '../log/segment-file.ts'
import { defaultLogOptions, SegmentedLog, type SegmentedLogOptions } from '../log/segmented-log.ts'
import { SnapshotStore } from '../log/snapshot-store.ts'
import type { StoredSnapshot } from '../log/stored-snapshot.ts'
import type { StateMachine } from '../raft.ts'
import { acceptLoss, finishAccepted } from './accepted-loss.ts'
import { findOutage, noOutage, type Outage, settleOutage } from './outage.ts'

/** The opened storage of one server, with the state machine at the newest snapshot. */
export interface Storage {
  readonly recovered: Recovered
  readonly log: DurableLog
  readonly snapshots: SnapshotStore
}

export interface StorageOptions {
  readonly id: ServerId
  /** Raft protocol. */
  readonly protocol: number
  /** `peers.json` is a list that this release keeps, not one for recovery. */
  readonly peersAreKept: boolean
  /** What to do about a log of releases before 0.5.1. */
  readonly oldLogs: OldLogs
  /** A log that is damaged goes on without what it has lost, where that is safe (accepted-loss.ts). */
  readonly acceptLostLog: boolean
  /** Undefined: nothing is stored, and no file is touched. */
  readonly dataDir: string | undefined
  readonly stateMachine: StateMachine
  readonly listener: LogListener
  readonly log?: Partial<SegmentedLogOptions>
}

const emptyRecovered: Recovered = {
  hardState: { term: noTerm, votedFor: undefined },
  snapshot: undefined,
  snapshotSizeBytes: 0,
  entries: [],
}

/** Opens what the server keeps. Everything that may be wrong with it is found before anything is written. */
export async function openStorage(env: Env, options: StorageOptions): Promise<Result<Storage, RaftOpenFailure>> {
  const { dataDir, listener, id, protocol } = options
  if (dataDir === undefined) {
    const snapshots = new SnapshotStore(new MemoryFiles(), 'snapshots', undefined)
    return ok({ recovered: emptyRecovered, log: new MemoryLog(listener), snapshots })
  }
  const refused = await refuseOldFormat(env.disk, dataDir, options.oldLogs)
  if (refused !== undefined) return err(refused)
  const migrated = options.oldLogs === 'migrated' ? await migrateOldLog(env, dataDir) : ok(undefined)
  if (!migrated.ok) return migrated
  const paths = pathsOf(dataDir, options.oldLogs)
  const { raft } = paths
  const placed = await finishAccepted(env.disk, paths)
  const found = placed.ok ? await examineOrAccept(env, paths, options) : placed
  if (!found.ok) return found
  const { snapshots, log } = found.value
  for (const { message } of snapshots.damaged) env.log.write('warn', 'raft', 'a snapshot is not whole', { message })
  const { newest } = snapshots
  const reconciled = reconcile(log?.log, newest)
  const outage = options.peersAreKept
    ? ok(noOutage)
    : await findOutage(env.disk, raft, { id, protocol }, reconciled.recovered)
  if (!outage.ok) return outage
  const restored = snapshots.restore?.finish()
  if (restored?.ok === false) {
    return err(damagedAt(paths.snapshots, 0, `snapshot ${newest?.meta.index ?? 0}: ${restored.error}`))
  }
  const { recovered, first } = withForced(env, reconciled, outage.value)
  const opened = await openLog(env, paths, found.value, first, options)
  if (!opened.ok) return opened
  const settled = await settleOutage(env, raft, outage.value)
  if (settled.ok) {
    return ok({ recovered, log: opened.value, snapshots: new SnapshotStore(env.disk, paths.snapshots, newest) })
  }
  await opened.value.close()
  return err(diskTrouble(settled.error))
}

/**
 * The stored state, with the configuration that an operator forces upon it (forced-configuration.ts has the argument).
 */
function withForced(env: Env, found: Reconciled, { wanted, forced }: Outage): Reconciled {
  if (wanted !== undefined) {
    const { index, term } = forced?.entry ?? found.recovered.entries.at(-1) ?? { index: 0, term: 0 }
    const servers = wanted.servers.map((server) => server.id).join(',')
    env.log.write('info', 'raft', 'found peers.json file, recovering Raft configuration...', { servers, index, term })
  }
  if (forced === undefined) return found
  const { hardState, entry } = forced
  return {
    recovered: { ...found.recovered, hardState, entries: [...found.recovered.entries, entry] },
    first: logChange({ ...found.first, hardState, entries: [entry] }),
  }
}

interface Paths {
  readonly dataDir: string
  readonly raft: string
  readonly log: string
  /** Directory that the log lies in. */
  readonly parent: string
  readonly format: LogFormat
  readonly snapshots: string
}

function pathsOf(dataDir: string, oldLogs: OldLogs): Paths {
  const raft = `${dataDir}/raft`
  const place =
    oldLogs === 'kept'
      ? { log: `${dataDir}/${oldLogName}`, parent: dataDir, format: logFormats.mdb }
      : { log: `${raft}/log`, parent: raft, format: logFormats.segments }
  return { dataDir, raft, ...place, snapshots: `${raft}/snapshots` }
}

interface Found {
  readonly snapshots: FoundSnapshots
  /** Undefined: there is none yet. */
  readonly log: RecoveredLog | undefined
}

/** Removes from the log what an operator accepted as lost; then the log is read like any other. */
async function examineOrAccept(
  env: Env,
  paths: Paths,
  options: StorageOptions,
): Promise<Result<Found, RaftOpenFailure>> {
  const { stateMachine, id, acceptLostLog } = options
  const found = await examine(env, paths, stateMachine)
  if (!acceptLostLog) return found.ok ? found : err(found.error.failure)
  if (found.ok) {
    env.log.write('warn', 'raft', '-accept-lost-log: nothing is lost; start without it from now on')
    return found
  }
  const { failure, newest } = found.error
  if (failure.kind !== 'damaged-log') return err(failure)
  const { log, parent, format } = paths
  const accepted = await acceptLoss(env, { id, log, parent, format, failure, snapshot: newest?.meta })
  if (!accepted.ok) return accepted
  const again = await examine(env, paths, stateMachine)
  return again.ok ? again : err(again.error.failure)
}

interface Refused {
  readonly failure: LogFailure
  readonly newest: StoredSnapshot | undefined
}

/** Reads everything, and refuses what does not fit together. */
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

/** Why log and snapshots are not those of one server. */
function disagreement(log: RecoveredLog | undefined, paths: Paths, found: FoundSnapshots): LogFailure | undefined {
  const { newest, damaged } = found
  if (log === undefined) {
    const hasSnapshot = newest !== undefined || damaged.length > 0
    return hasSnapshot ? missingFiles(paths.log, 'there is no log beside the snapshots') : undefined
  }
  const { baseIndex, hardState, entries } = log.log
  if (baseIndex > (newest?.meta.index ?? 0)) return gapBefore(baseIndex, paths, found)
  const last = log.segments.at(-1)?.path ?? paths.log
  const lastTerm = Math.max(entries.at(-1)?.term ?? 0, newest?.meta.term ?? 0)
  if (hardState.term < lastTerm) {
    return damagedAt(last, 0, `it holds entries of term ${lastTerm}, and the newest term it knows is ${hardState.term}`)
  }
  return shorterThanSnapshot(log, last, newest)
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

/** The log begins after `baseIndex`, and no snapshot that is whole reaches there. */
function gapBefore(baseIndex: LogIndex, paths: Paths, { newest, damaged }: FoundSnapshots): RaftOpenFailure {
  const worst = damaged[0]
  if (worst !== undefined) return worst
  const covered = newest === undefined ? 'there is no snapshot' : `the newest snapshot ends at ${newest.meta.index}`
  return missingFiles(paths.log, `the log begins after entry ${baseIndex}, and ${covered}: files are missing`)
}

interface Reconciled {
  readonly recovered: Recovered
  /** The first change that the log must write. */
  readonly first: LogChange | undefined
}

/**
 * Log and snapshot may disagree in one way: a received snapshot was in its place, and the log that it replaces not yet
 * dropped, when the server stopped. Then the log ends before the snapshot, or its entry at that index has another term
 * (planted bugs 12 and 13); nothing of it may be used. One that ends before a snapshot of this server's own was
 * refused.
 */
function reconcile(log: ReplayedLog | undefined, newest: StoredSnapshot | undefined): Reconciled {
  if (log === undefined) return { recovered: emptyRecovered, first: undefined }
  const recovered = { hardState: log.hardState, snapshot: newest?.meta, snapshotSizeBytes: newest?.sizeBytes ?? 0 }
  if (newest === undefined || continues(log, newest.meta)) {
    return { recovered: { ...recovered, entries: log.entries }, first: undefined }
  }
  const { index, term } = newest.meta
  return { recovered: { ...recovered, entries: [] }, first: logChange({ resetTo: { index, term } }) }
}

async function openLog(
  env: Env,
  paths: Paths,
  found: Found,
  first: LogChange | undefined,
  options: StorageOptions,
): Promise<Result<SegmentedLog, RaftOpenFailure>> {
  const made = await makeDirectories(env.disk, paths.dataDir, ['raft', 'snapshots'])
  const placed = made.ok ? await makeLogDirectory(env.disk, paths) : made
  const named = placed.ok ? await env.disk.syncDirectory(paths.snapshots) : placed
  const cleared = named.ok ? await removeFiles(env.disk, paths.snapshots, found.snapshots.leftovers) : named
  if (!cleared.ok) return err(diskTrouble(cleared.error))
  const logOptions = { ...defaultLogOptions, ...options.log, format: paths.format }
  if (found.log === undefined) {
    const created = await createLog(env, paths.log, logOptions)
    if (!created.ok) return err(diskTrouble(created.error))
  }
  const log = found.log === undefined ? await recoverLog(env.disk, paths.log, paths.format) : ok(found.log)
  if (!log.ok) return log
  if (log.value === undefined) return err(missingFiles(paths.log, 'the log that was just made is gone'))
  tellTorn(env, log.value)
  const opened = await SegmentedLog.open(env, paths.log, log.value, first, logOptions, options.listener)
  return opened.ok ? opened : err(diskTrouble(opened.error))
}

/** A batch that was not durable is no loss; but one that the disk lost after it was synced looks the same. */
function tellTorn(env: Env, { tail, segments, log }: RecoveredLog): void {
  const { tornBytes, tornRecords, end } = tail
  if (tornBytes === 0) return
  env.log.write('warn', 'raft', 'cut a torn batch from the end of the log', {
    file: segments.at(-1)?.path ?? '',
    offset: end,
    bytes: tornBytes,
    ...(tornRecords === undefined ? {} : { records: tornRecords }),
    lastIndex: log.lastIndex,
  })
}

function makeLogDirectory(disk: Disk, { dataDir, log }: Paths): ReturnType<typeof makeDirectories> {
  return makeDirectories(disk, dataDir, log.slice(dataDir.length + 1).split('/'))
}
