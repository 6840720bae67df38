import { equalBytes, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { logIndexOf, noIndex, termOf } from '../../../src/model/log-position.ts'
import { encodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import { type LogChange, logChange } from '../../../src/raft/log/durable-log.ts'
import { MemoryFiles } from '../../../src/raft/log/memory-files.ts'
import { SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import { isForcedTerm } from '../../../src/raft/opening/forced-configuration.ts'
import { openStorage } from '../../../src/raft/opening/storage.ts'
import type { CrashDisk } from '../../unit/raft-log/crash-disk.ts'
import { fakeEnv } from '../../unit/raft-log/fake-env.ts'
import {
  afterChange,
  emptyState,
  entryAt,
  type LogState,
  openLog,
  persist,
  shown,
  smallSegments,
} from '../../unit/raft-log/log-model.ts'
import {
  Collected,
  directory,
  type Format,
  metaOf,
  newestSnapshot,
  prepared,
  snapshotStore,
  textOf,
  textState,
} from './format.ts'

/** Bytes in a chunk: a snapshot comes in several, and the last one is short. */
const chunkBytes = 70

async function sentTo(store: SnapshotStore, from: SnapshotStore, meta: SnapshotMeta): Promise<void> {
  for (let offset = 0; ; ) {
    const { bytes, sizeBytes } = await from.read(meta, offset, chunkBytes)
    if (bytes === undefined) throw new Error('the leader has its snapshot')
    const chunk = { kind: 'snapshot-chunk', term: termOf(2), meta, sizeBytes, offset, bytes, round: 1 } as const
    const received = await store.receive(chunk)
    if (!received.ok) throw new Error(received.error.message)
    if (received.value.complete) return
    offset = received.value.nextOffset
  }
}

export const receivedSnapshots: Format = {
  name: 'snapshots received in chunks',
  versions: 3,
  counted: { short: [44, 472, 8] },
  async live(disk, progress) {
    await prepared(disk)
    const store = new SnapshotStore(disk, directory)
    const leader = new SnapshotStore(new MemoryFiles(), 'snapshots')
    for (let version = 1; version <= this.versions; version++) {
      const meta = metaOf(version)
      const written = await leader.write(meta, textState(version), noIndex)
      if (!written.ok) throw new Error(JSON.stringify(written.error))
      progress.begun = version
      await sentTo(store, leader, meta)
      progress.durable = version
    }
  },
  async goOn(disk, found) {
    await prepared(disk)
    const leader = new SnapshotStore(new MemoryFiles(), 'snapshots')
    const meta = metaOf(found + 1)
    const written = await leader.write(meta, textState(found + 1), noIndex)
    if (!written.ok) throw new Error(JSON.stringify(written.error))
    await sentTo(await snapshotStore(disk), leader, meta)
  },
  async found(disk) {
    const newest = await newestSnapshot(disk)
    if (newest === undefined) return 0
    if (typeof newest === 'string') return newest
    if (newest.origin?.kind !== 'received') return 'a snapshot does not say that it was received'
    const version = newest.meta.index / 10
    const isWhole = equalBytes(newest.bytes, utf8(textOf(version)))
    return isWhole ? version : `the snapshot of index ${newest.meta.index} is not what was sent`
  },
}

/** A log that grows and is cut behind snapshots: each entry fills about half of a segment. */
const growth: readonly (LogChange | { readonly keepFrom: number })[] = [
  logChange({ hardState: { term: termOf(2), votedFor: undefined }, entries: [entryAt(1, 1, 200), entryAt(2, 2, 200)] }),
  logChange({ entries: [entryAt(3, 2, 200)] }),
  { keepFrom: 3 },
  logChange({ entries: [entryAt(4, 2, 200), entryAt(5, 2, 40)] }),
  { keepFrom: 5 },
  logChange({
    hardState: { term: termOf(3), votedFor: 'node-a' },
    truncateFrom: logIndexOf(5),
    entries: [entryAt(5, 3, 60)],
  }),
]

const grownStates: LogState[] = [emptyState]
const keptFrom = [1]
for (const change of growth) {
  const [state, kept] = [grownStates.at(-1) ?? emptyState, keptFrom.at(-1) ?? 1]
  grownStates.push('keepFrom' in change ? state : afterChange(state, change))
  keptFrom.push('keepFrom' in change ? change.keepFrom : kept)
}

export const compactedLog: Format = {
  name: 'Raft log that is cut behind snapshots',
  versions: growth.length,
  counted: { short: [88, 831, 7] },
  async live(disk, progress) {
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    const { log } = opened.value
    for (const change of growth) {
      progress.begun++
      // Nothing waits for old segments to be removed: the next change does it beside its own work.
      if ('keepFrom' in change) log.compact(logIndexOf(change.keepFrom))
      else await persist(log, change)
      progress.durable = progress.begun
    }
    await log.close()
  },
  async found(disk, { durable, begun }) {
    const again = await openLog(disk)
    if (!again.ok) return again.error.message
    const { state } = again.value
    for (let version = begun; version >= durable; version--) {
      const possible = grownStates[version] ?? emptyState
      if (state.baseIndex >= (keptFrom[begun] ?? 1))
        return `entries up to ${state.baseIndex} are gone, which were to stay`
      if (shown(state, state.baseIndex + 1) === shown(possible, state.baseIndex + 1)) return version
    }
    return `a state that was never written: ${shown(state)}`
  },
}

const dataDir = '/data'
const alone = { servers: [{ id: 'a', address: 'a:8300', suffrage: 'voter' as const }] }
const peersPath = `${dataDir}/raft/peers.json`

function opening(disk: CrashDisk) {
  // Of its surroundings it uses disk, log and timers alone.
  return openStorage(fakeEnv(disk, undefined, 1) as unknown as Env, {
    id: 'a',
    protocol: 3,
    peersAreKept: false,
    oldLogs: 'refused',
    acceptLostLog: false,
    dataDir,
    stateMachine: {
      apply: () => undefined,
      applied: () => {},
      snapshot: () => ({ next: () => undefined }),
      restore: () => new Collected(),
    },
    log: smallSegments,
    listener: {
      batchDurable: () => {},
      full: () => {},
      delayed: () => {},
      room: () => {},
      notRemoved: () => {},
      failed: () => {},
    },
  })
}

/** Entries of a server of two, before an operator makes it go on alone. */
const before = [
  {
    ...entryAt(1, 1),
    kind: 'configuration' as const,
    payload: encodeConfiguration({ servers: [...alone.servers, { id: 'b', address: 'b:8300', suffrage: 'voter' }] }),
  },
  entryAt(2, 2, 30),
]

/**
 * Version 1 is the log, 2 that with the file of the operator beside it: from then on each start must follow it once.
 */
export const peersJson: Format = {
  name: 'peers.json: a configuration that an operator forces',
  versions: 2,
  counted: { short: [100, 496, 3] },
  async live(disk, progress) {
    const first = await opening(disk)
    if (!first.ok) throw new Error(first.error.message)
    progress.begun = 1
    await new Promise<void>((resolve) => {
      const hardState = { term: termOf(2), votedFor: undefined }
      first.value.log.write(logChange({ hardState, entries: before }), resolve)
      first.value.log.flush()
    })
    progress.durable = 1
    await first.value.log.close()
    progress.begun = 2
    await planted(disk)
    progress.durable = 2
    const second = await opening(disk)
    if (!second.ok) throw new Error(second.error.message)
    await second.value.log.close()
  },
  async found(disk) {
    const again = await opening(disk)
    if (!again.ok) return again.error.message
    const { entries } = again.value.recovered
    const { log } = again.value
    await log.close()
    if (entries.length === 0) return 0
    if (!before.every(({ index, payload }) => equalBytes(entries[index - 1]?.payload ?? utf8(''), payload))) {
      return 'entries that were there before are gone'
    }
    const forced = entries.slice(before.length)
    if (forced.length === 0) return 1
    const isOnce = forced.length === 1 && forced.every(({ term }) => isForcedTerm(term))
    return isOnce ? 2 : `${forced.length} entries follow, where one forces the configuration`
  },
}

/** Writes the file beside its place and renames it, as a careful operator does. */
async function planted(disk: CrashDisk): Promise<void> {
  const file = await disk.open(`${peersPath}.new`, 'create')
  if (!file.ok) throw new Error(file.error.message)
  const servers = alone.servers.map(({ id, address }) => ({ id, address }))
  const written = await file.value.writeSynced(0, utf8(JSON.stringify(servers)))
  await file.value.close()
  const placed = written.ok ? await disk.rename(`${peersPath}.new`, peersPath) : written
  const durable = placed.ok ? await disk.syncDirectory(`${dataDir}/raft`) : placed
  if (!durable.ok) throw new Error(durable.error.message)
}
