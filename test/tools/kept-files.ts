import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lanFiles, MemberSnapshot } from '../../src/agent/pool/member-snapshot.ts'
import type { Env } from '../../src/env/env.ts'
import type { Pool } from '../../src/gossip/pool.ts'
import { createHostEnv } from '../../src/host/env.ts'
import type { SnapshotMeta } from '../../src/raft/core/types.ts'
import { writeSnapshot } from '../../src/raft/log/snapshot-file.ts'
import { createWatermark, type Mark, watermarkName } from '../../src/raft/log/watermark.ts'
import { positioned } from './plain.ts'

/** Samples of the files that the code writes by itself, as base64 or as text. */
export interface KeptFiles {
  readonly raftSnapshot: string
  readonly watermark: string
  /** Of an agent that knows members, and of one that left. */
  readonly members: readonly string[]
}

const meta = positioned<SnapshotMeta>({
  ...{ index: 9, term: 2, configurationIndex: 1 },
  configuration: { servers: [{ id: 'a', address: '10.0.0.1:8300', suffrage: 'voter' as const }] },
})
const mark = positioned<Mark>({
  batch: 6,
  chain: 99,
  segment: 2,
  end: 512,
  lastIndex: 9,
  term: 3,
  configurationIndex: 1,
})

export async function keptFiles(): Promise<KeptFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-formats-'))
  const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  // The members are written some time after a change: at once here.
  const timers = {
    ...host.timers,
    after: (_ms: number, use: () => void) => {
      use()
      return { close: () => undefined }
    },
  }
  const env = { ...host, timers } as Env
  try {
    const file = await opened(env, join(folder, 'raft'))
    let pieces = 2
    const state = { next: () => (pieces-- > 0 ? Uint8Array.of(1, 2, 3) : undefined) }
    await writeSnapshot(file, meta, { kind: 'taken', logIndex: meta.index }, state, () => true)
    await file.close()
    await createWatermark(env.disk, folder, mark)
    const inBase64 = (name: string): string => readFileSync(join(folder, name)).toString('base64')
    const members = [await membersOf(env, folder, 'known'), await membersOf(env, folder, 'left')]
    return { raftSnapshot: inBase64('raft'), watermark: inBase64(watermarkName), members }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function opened(env: Env, path: string) {
  const file = await env.disk.open(path, 'create')
  if (!file.ok) throw new Error(file.error.message)
  return file.value
}

/** What an agent with an alive and a failed member writes down, or one that has left. */
async function membersOf(env: Env, folder: string, which: 'known' | 'left'): Promise<string> {
  const dataDir = join(folder, which)
  const pool = { rejoinAfterLeave: false }
  await env.disk.makeDirectory(dataDir)
  const snapshot = await MemberSnapshot.open(env, { dataDir, nodeName: 'me', pool } as never)
  if (snapshot === undefined) throw new Error('without a data directory nothing is written')
  const member = (name: string, host: string, status: string) => ({ name, endpoint: { host, port: 8301 }, status })
  const members = [
    member('me', '10.0.0.1', 'alive'),
    member('b', '10.0.0.2', 'failed'),
    member('c', 'fd00::3', 'alive'),
  ]
  let changed = (): void => undefined
  snapshot.follow({
    self: () => members[0],
    members: () => members,
    stats: () => ({ members: members.length }),
    onChange: (use: () => void) => {
      changed = use
      return { close: () => undefined }
    },
  } as unknown as Pool)
  changed()
  await snapshot.settled()
  if (which === 'left') await snapshot.left()
  return readFileSync(join(dataDir, 'serf', lanFiles.snapshot), 'utf8')
}
