import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { logIndexOf, noIndex, termOf } from '../../../src/model/log-position.ts'
import type { Entry, SnapshotMeta } from '../../../src/raft/core/types.ts'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import { SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import { openStorage, type Storage } from '../../../src/raft/opening/storage.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { fakeEnv } from '../raft-log/fake-env.ts'
import { entryAt } from '../raft-log/log-model.ts'
import { configurationOf, ListMachine } from './small-cluster.ts'

async function opened(disk: CrashDisk): Promise<Storage & { readonly machine: ListMachine }> {
  const machine = new ListMachine()
  const listener = {
    batchDurable: () => {},
    full: () => {},
    delayed: () => {},
    room: () => {},
    notRemoved: () => {},
    failed: () => {},
  }
  const env = fakeEnv(disk) as unknown as Env
  const storage = await openStorage(env, {
    id: 'a',
    protocol: 3,
    peersAreKept: false,
    oldLogs: 'refused',
    acceptLostLog: false,
    dataDir: '/data',
    stateMachine: machine,
    listener,
  })
  if (!storage.ok) throw new Error(storage.error.message)
  return { ...storage.value, machine }
}

async function append(storage: Storage, entries: readonly Entry[], term: number): Promise<void> {
  await new Promise<void>((resolve) => {
    storage.log.write(logChange({ hardState: { term: termOf(term), votedFor: undefined }, entries }), resolve)
    storage.log.flush()
  })
}

/** A log of these entries, and a snapshot that a leader sent, put in its place just before the power went. */
async function interrupted(entries: readonly Entry[], meta: SnapshotMeta): Promise<CrashDisk> {
  const disk = new CrashDisk()
  await disk.makeDirectory('/data')
  const storage = await opened(disk)
  await append(storage, entries, 2)
  const state = new ListMachine()
  state.commands = ['from the snapshot']
  const store = new SnapshotStore(disk, '/data/raft/snapshots')
  expect((await store.write(meta, state.snapshot(), noIndex)).ok).toBe(true)
  return disk.crashed({ below: () => 0 })
}

const meta: SnapshotMeta = {
  index: logIndexOf(4),
  term: termOf(2),
  configuration: configurationOf(['a', 'b']),
  configurationIndex: logIndexOf(1),
}

function terms(entries: readonly Entry[]): string {
  return entries.map(({ index, term }) => `${index}:${term}`).join(' ')
}

describe('a snapshot beside the log that it was to replace', () => {
  it.each([
    ['ends before it', [entryAt(1, 1), entryAt(2, 1)]],
    ['has another entry at its index', [1, 2, 3, 4, 5, 6].map((index) => entryAt(index, 1))],
  ])('leaves nothing of a log that %s, now and after the next restart', async (_, entries) => {
    const disk = await interrupted(entries, meta)
    const storage = await opened(disk)
    expect(storage.recovered.snapshot).toEqual(meta)
    expect(storage.recovered.entries).toEqual([])
    expect(storage.machine.commands).toEqual(['from the snapshot'])
    await append(storage, [entryAt(5, 2), entryAt(6, 2)], 2)
    const again = await opened(disk.crashed({ below: () => 0 }))
    expect(terms(again.recovered.entries)).toBe('5:2 6:2')
  })

  it('leaves a log alone that holds its last entry: what follows may have been acknowledged', async () => {
    const entries = [entryAt(1, 1), entryAt(2, 1), entryAt(3, 2), entryAt(4, 2), entryAt(5, 2)]
    const disk = await interrupted(entries, meta)
    const storage = await opened(disk)
    expect(terms(storage.recovered.entries)).toBe('1:1 2:1 3:2 4:2 5:2')
    expect(terms((await opened(disk.crashed({ below: () => 0 }))).recovered.entries)).toBe('1:1 2:1 3:2 4:2 5:2')
  })
  it('carries a configuration that is forced upon it, in the batch that drops the log', async () => {
    const disk = await interrupted([entryAt(1, 1), entryAt(2, 1)], meta)
    disk.plant('/data/raft/peers.json', utf8('[{"id": "a", "address": "a:8300"}]'))
    const { recovered } = await opened(disk)
    expect(recovered.entries).toMatchObject([{ index: 5, kind: 'configuration' }])
    const again = await opened(disk.crashed({ below: () => 0 }))
    expect(again.recovered).toEqual(recovered)
    expect(disk.namesIn('/data/raft')).toEqual(['peers.info'])
  })
})
