import { err, ok, type Result } from '../base/result.ts'
import type { Disk } from '../env/disk.ts'
import type { Env } from '../env/env.ts'
import type { Recovered, ServerId, SnapshotMeta } from './core/types.ts'
import { makeDirectories, removeFiles } from './log/disk-steps.ts'
import { type DurableLog, type LogChange, type LogListener, logChange } from './log/durable-log.ts'
import { MemoryFiles } from './log/memory-files.ts'
import { MemoryLog } from './log/memory-log.ts'
import { migrateOldLog } from './log/migration.ts'
import { type OldLogs, oldLogName, refuseOldFormat } from './log/old-format.ts'
import { damagedAt, diskTrouble, missingFiles, type RaftOpenFailure } from './log/open-failure.ts'
import { type RecoveredLog, recoverLog } from './log/recovery.ts'
import type { ReplayedLog } from './log/replay.ts'
import { type LogFormat, logFormats } from './log/segment-file.ts'
import { defaultLogOptions, SegmentedLog, type SegmentedLogOptions } from './log/segmented-log.ts'
import { type FoundSnapshots, findSnapshots, SnapshotStore, type StoredSnapshot } from './log/snapshot-store.ts'
import { findOutage, noOutage, type Outage, settleOutage } from './outage.ts'
import type { StateMachine } from './raft.ts'

/** What one server keeps: opened, and the state machine brought to the newest snapshot. */
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
  /** What becomes of a log of releases before 0.5.1. */
  readonly oldLogs: OldLogs
  /** Undefined: nothing is kept, and no file is touched. */
  readonly dataDir: string | undefined
  readonly stateMachine: StateMachine
  readonly listener: LogListener
  readonly log?: Partial<SegmentedLogOptions>
}

const emptyRecovered: Recovered = {
  hardState: { term: 0, votedFor: undefined },
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
  const found = await examine(env, paths, options.stateMachine)
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

/** What was found, and the configuration that an operator forces upon it (forced-configuration.ts has the argument). */
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
  readonly format: LogFormat
  readonly snapshots: string
}

function pathsOf(dataDir: string, oldLogs: OldLogs): Paths {
  const raft = `${dataDir}/raft`
  const place =
    oldLogs === 'kept'
      ? { log: `${dataDir}/${oldLogName}`, format: logFormats.mdb }
      : { log: `${raft}/log`, format: logFormats.segments }
  return { dataDir, raft, ...place, snapshots: `${raft}/snapshots` }
}

interface Found {
  readonly snapshots: FoundSnapshots
  /** Undefined: there is none yet. */
  readonly log: RecoveredLog | undefined
}

/** Reads everything, and refuses what does not fit together. */
async function examine(env: Env, paths: Paths, stateMachine: StateMachine): Promise<Result<Found, RaftOpenFailure>> {
  const snapshots = await findSnapshots(env.disk, paths.snapshots, () => stateMachine.restore())
  if (!snapshots.ok) return snapshots
  const log = await recoverLog(env.disk, paths.log, paths.format)
  if (!log.ok) return log
  const { newest, damaged } = snapshots.value
  if (log.value === undefined) {
    const hasSnapshot = newest !== undefined || damaged.length > 0
    if (hasSnapshot) return err(missingFiles(paths.log, 'there is no log beside the snapshots'))
    return ok({ snapshots: snapshots.value, log: undefined })
  }
  const { baseIndex } = log.value.log
  if (baseIndex > (newest?.meta.index ?? 0)) return err(gapBefore(baseIndex, paths, snapshots.value))
  const { log: replayed, segments } = log.value
  const { hardState, entries } = replayed
  const lastTerm = Math.max(entries.at(-1)?.term ?? 0, newest?.meta.term ?? 0)
  if (hardState.term >= lastTerm) return ok({ snapshots: snapshots.value, log: log.value })
  const what = `it holds entries of term ${lastTerm}, and the newest term it knows is ${hardState.term}`
  return err(damagedAt(segments.at(-1)?.path ?? paths.log, 0, what))
}

/** The log begins after `baseIndex`, and no snapshot that is whole reaches there. */
function gapBefore(baseIndex: number, paths: Paths, { newest, damaged }: FoundSnapshots): RaftOpenFailure {
  const worst = damaged[0]
  if (worst !== undefined) return worst
  const covered = newest === undefined ? 'there is no snapshot' : `the newest snapshot ends at ${newest.meta.index}`
  return missingFiles(paths.log, `the log begins after entry ${baseIndex}, and ${covered}: files are missing`)
}

interface Reconciled {
  readonly recovered: Recovered
  /** What the log must be told first. */
  readonly first: LogChange | undefined
}

/**
 * Log and snapshot may disagree in one way: a received snapshot was in its place, and the log that it replaces not yet
 * dropped, when the server stopped. Then the log ends before the snapshot, or its entry at that index has another term
 * (planted bugs 12 and 13); nothing of it may be used. A log that ends before a snapshot of this server's own loses
 * nothing by it: all that it holds is in the snapshot.
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

/** Whether the log holds the snapshot's last entry, or begins right after it. */
function continues(log: ReplayedLog, { index, term }: SnapshotMeta): boolean {
  if (log.baseIndex === index) return true
  return log.entries[index - log.baseIndex - 1]?.term === term
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
  if (found.log === undefined) {
    const created = await SegmentedLog.create(env, paths.log, undefined, paths.format)
    if (!created.ok) return err(diskTrouble(created.error))
  }
  const log = found.log === undefined ? await recoverLog(env.disk, paths.log, paths.format) : ok(found.log)
  if (!log.ok) return log
  if (log.value === undefined) return err(missingFiles(paths.log, 'the log that was just made is gone'))
  const { tail } = log.value
  if (tail.sizeBytes > tail.end) {
    const { segment } = log.value.segments.at(-1) ?? { segment: 0 }
    env.log.write('info', 'raft', 'cut a torn batch from the end of the log', {
      segment,
      offset: tail.end,
      bytes: tail.sizeBytes - tail.end,
    })
  }
  const logOptions = { ...defaultLogOptions, ...options.log, format: paths.format }
  const opened = await SegmentedLog.open(env, paths.log, log.value, first, logOptions, options.listener)
  return opened.ok ? opened : err(diskTrouble(opened.error))
}

function makeLogDirectory(disk: Disk, { dataDir, log }: Paths): ReturnType<typeof makeDirectories> {
  return makeDirectories(disk, dataDir, log.slice(dataDir.length + 1).split('/'))
}
