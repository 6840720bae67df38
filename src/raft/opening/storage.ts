import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { noTerm } from '../../model/log-position.ts'
import type { Recovered } from '../core/types.ts'
import { makeDirectories, renewNames } from '../log/disk-steps.ts'
import { type DurableLog, type LogChange, type LogListener, logChange } from '../log/durable-log.ts'
import { MemoryFiles, MemoryLog } from '../log/memory-files.ts'
import { migrateOldLog } from '../log/migration.ts'
import { type OldLogs, refuseOldFormat } from '../log/old-format.ts'
import { damagedAt, diskTrouble, missingFiles, type RaftOpenFailure } from '../log/open-failure.ts'
import { createLog } from '../log/opening.ts'
import { type RecoveredLog, recoverLog } from '../log/recovery.ts'
import { continues, type ReplayedLog } from '../log/replay.ts'
import { defaultLogOptions, SegmentedLog, type SegmentedLogOptions } from '../log/segmented-log.ts'
import { SnapshotStore, tellNotRemoved } from '../log/snapshot-store.ts'
import type { StoredSnapshot } from '../log/stored-snapshot.ts'
import { finishAccepted } from './accepted-loss.ts'
import { type ExamineOptions, examineOrAccept, type Paths, pathsOf } from './examining.ts'
import { findOutage, noOutage, type Outage, settleOutage } from './outage.ts'

/** The opened storage of one server, with the state machine at the newest snapshot. */
export interface Storage {
  readonly recovered: Recovered
  readonly log: DurableLog
  readonly snapshots: SnapshotStore
}

export interface StorageOptions extends ExamineOptions {
  /** Raft protocol. */
  readonly protocol: number
  /** `peers.json` is a list that this release always keeps, not one for recovery. */
  readonly peersAreKept: boolean
  /** What to do about a log of releases before 0.5.1. */
  readonly oldLogs: OldLogs
  /** Undefined: nothing is stored, and no file is touched. */
  readonly dataDir: string | undefined
  readonly listener: LogListener
  readonly log?: Partial<SegmentedLogOptions>
}

const emptyRecovered: Recovered = {
  hardState: { term: noTerm, votedFor: undefined },
  snapshot: undefined,
  snapshotSizeBytes: 0,
  entries: [],
}

/** Opens the server's storage. Everything that may be wrong with it is found before anything is written. */
export async function openStorage(env: Env, options: StorageOptions): Promise<Result<Storage, RaftOpenFailure>> {
  const { dataDir, listener, id, protocol } = options
  if (dataDir === undefined) {
    const snapshots = new SnapshotStore(new MemoryFiles(), 'snapshots')
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
  const store = new SnapshotStore(env.disk, paths.snapshots, snapshots)
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
  const ready = await prepareDirectories(env, paths, store, first)
  const opened = ready.ok ? await openLog(env, paths, log, first, options) : ready
  if (!opened.ok) return opened
  const settled = await settleOutage(env, raft, outage.value)
  if (settled.ok) return ok({ recovered, log: opened.value, snapshots: store })
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

interface Reconciled {
  readonly recovered: Recovered
  /** The first change that the log must write. */
  readonly first: LogChange | undefined
}

/**
 * Log and snapshot may disagree in one way: a received snapshot was in its place, and the log that it replaces not yet
 * dropped, when the server stopped. Then the log ends before the snapshot, or its entry at that index has another term
 * (planted bugs 12 and 13), and nothing of it may be used. A log that ends before a snapshot of this server's own was
 * refused. The term of the snapshot may be new to such a log, too: then this server has not voted in it, because a vote
 * is sent only when it is in the log.
 */
function reconcile(log: ReplayedLog | undefined, newest: StoredSnapshot | undefined): Reconciled {
  if (log === undefined) return { recovered: emptyRecovered, first: undefined }
  const recovered = { hardState: log.hardState, snapshot: newest?.meta, snapshotSizeBytes: newest?.sizeBytes ?? 0 }
  if (newest === undefined || continues(log, newest.meta)) {
    return { recovered: { ...recovered, entries: log.entries }, first: undefined }
  }
  const { index, term } = newest.meta
  const isNews = log.hardState.term < term
  const hardState = isNews ? { term, votedFor: undefined } : log.hardState
  const first = logChange({ hardState: isNews ? hardState : undefined, resetTo: { index, term } })
  return { recovered: { ...recovered, hardState, entries: [] }, first }
}

/**
 * Makes the directories, and clears that of the snapshots. A log that is dropped for a snapshot relies on that alone,
 * and its name may not be durable: a power cut would leave neither of them.
 */
async function prepareDirectories(
  env: Env,
  paths: Paths,
  store: SnapshotStore,
  first: LogChange | undefined,
): Promise<Result<undefined, RaftOpenFailure>> {
  const { disk } = env
  const made = await makeDirectories(disk, paths.dataDir, ['raft', 'snapshots'])
  const placed = made.ok ? await makeLogDirectory(disk, paths) : made
  if (!placed.ok) return err(diskTrouble(placed.error))
  const isAlone = first?.resetTo !== undefined
  const named = await (isAlone ? renewNames(disk, paths.snapshots) : disk.syncDirectory(paths.snapshots))
  if (!named.ok) return err(diskTrouble(named.error))
  const tidied = await store.tidy()
  if (!tidied.ok) tellNotRemoved(env.log, tidied.error)
  return ok(undefined)
}

async function openLog(
  env: Env,
  paths: Paths,
  found: RecoveredLog | undefined,
  first: LogChange | undefined,
  options: StorageOptions,
): Promise<Result<SegmentedLog, RaftOpenFailure>> {
  const logOptions = { ...defaultLogOptions, ...options.log, format: paths.format }
  const log = await recoverOrCreate(env, paths, found, logOptions)
  if (!log.ok) return log
  if (log.value === undefined) return err(missingFiles(paths.log, 'the log that was just made is gone'))
  tellTorn(env, log.value)
  const opened = await SegmentedLog.open(env, paths.log, log.value, first, logOptions, options.listener)
  return opened.ok ? opened : err(diskTrouble(opened.error))
}

/** A log without any batch is made again: the start that made it may have failed before its name was durable. */
async function recoverOrCreate(
  env: Env,
  paths: Paths,
  found: RecoveredLog | undefined,
  options: SegmentedLogOptions,
): Promise<Result<RecoveredLog | undefined, RaftOpenFailure>> {
  if (found !== undefined && found.tail.lastBatch > 0) return ok(found)
  const from = found === undefined ? undefined : { hardState: found.log.hardState, lastIndex: found.log.lastIndex }
  const created = await createLog(env, paths.log, options, from)
  return created.ok ? recoverLog(env.disk, paths.log, paths.format) : err(diskTrouble(created.error))
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
