import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemberSnapshot } from '../../../src/agent/pool/member-snapshot.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Member } from '../../../src/gossip/pool.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { HandClock } from '../features/hand-clock.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { Draws } from '../raft-log/fake-env.ts'
import { clientMember, FakePool, serverMember } from './fake-pool.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const clock = new HandClock()
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-snapshot-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function open(rejoinAfterLeave = false): Promise<MemberSnapshot | undefined> {
  const config = defaultAgentConfig('s1', '10.0.0.1')
  return MemberSnapshot.open({ ...clock.env, disk: host.disk } as Env, {
    ...config,
    dataDir,
    pool: { ...config.pool, rejoinAfterLeave },
  })
}

async function knownNames(rejoinAfterLeave = false): Promise<string[]> {
  return ((await open(rejoinAfterLeave))?.known ?? []).map(({ name, at }) => `${name} ${at.host}:${at.port}`)
}

/** An agent s1 whose pool has three others, one of them failed; it goes down after having written, or leaves. */
async function written(leaves: boolean, rejoinAfterLeave = false): Promise<void> {
  const snapshot = await open(rejoinAfterLeave)
  const fake = new FakePool([serverMember(1), clientMember(2), serverMember(3)])
  const pool = { ...fake.pool, self: () => serverMember(1), stats: () => ({ members: 4 }) }
  snapshot?.follow(pool as never)
  fake.set(clientMember(9, 'left'))
  fake.set(clientMember(2, 'failed'))
  await clock.advance(500)
  if (leaves) return snapshot?.left()
  snapshot?.stop()
  await snapshot?.settled()
}

async function openOn(disk: CrashDisk): Promise<MemberSnapshot> {
  await disk.makeDirectory('/data')
  const config = { ...defaultAgentConfig('s1', '10.0.0.1'), dataDir: '/data' }
  const snapshot = await MemberSnapshot.open({ ...clock.env, disk } as unknown as Env, config)
  if (snapshot === undefined) throw new Error('there is a data directory')
  return snapshot
}

/** Agent s1 stores these members, the last of which has just changed, and ends or leaves. */
async function onDisk(disk: CrashDisk, members: readonly Member[], ends: 'ends' | 'leaves' = 'ends'): Promise<void> {
  const snapshot = await openOn(disk)
  const fake = new FakePool(members)
  snapshot.follow({ ...fake.pool, self: () => serverMember(1), stats: () => ({ members: 3 }) } as never)
  fake.set(members.at(-1) as Member)
  await clock.advance(500)
  await snapshot.settled()
  if (ends === 'leaves') return snapshot.left()
  snapshot.stop()
}

async function knownOn(disk: CrashDisk): Promise<readonly string[]> {
  return (await openOn(disk)).known.map(({ name }) => name)
}

describe('the former members of the pool', () => {
  it('is known again after a restart: the living first, then those that failed', async () => {
    expect(await knownNames()).toEqual([])
    await written(false)
    expect(await knownNames()).toEqual(['s3 10.0.0.3:8301', 'c2 10.0.1.2:8301'])
    expect(readFileSync(join(dataDir, 'serf/local.snapshot'), 'utf8')).toBe(
      'alive: s3 10.0.0.3:8301\nalive: c2 10.0.1.2:8301\n',
    )
  })

  it('is kept by an agent that has met no other since its restart, until it has and is alone again', async () => {
    await written(false)
    const snapshot = await open()
    const fake = new FakePool([serverMember(1)])
    snapshot?.follow({ ...fake.pool, self: () => serverMember(1), stats: () => ({ members: 1 }) } as never)
    fake.set(serverMember(1))
    await clock.advance(500)
    await snapshot?.settled()
    expect(await knownNames()).toEqual(['s3 10.0.0.3:8301', 'c2 10.0.1.2:8301'])
    fake.set(serverMember(5), 'joined')
    await clock.advance(500)
    await snapshot?.settled()
    expect(await knownNames()).toEqual(['s5 10.0.0.5:8301'])
    fake.reap(serverMember(5))
    await clock.advance(500)
    await snapshot?.settled()
    expect(await knownNames()).toEqual([])
  })

  it('is forgotten by an agent that leaves', async () => {
    await written(true)
    expect(await knownNames()).toEqual([])
  })

  it('is written once by an agent that is told to leave twice', async () => {
    const made: string[] = []
    const counting = {
      ...host.disk,
      open: (path: string, ...how: ['create-new']) => {
        made.push(path)
        return host.disk.open(path, ...how)
      },
    }
    const config = defaultAgentConfig('s1', '10.0.0.1')
    const snapshot = await MemberSnapshot.open({ ...clock.env, disk: counting } as Env, { ...config, dataDir })
    made.length = 0
    await Promise.all([snapshot?.left(), snapshot?.left()])
    await snapshot?.left()
    expect(made).toEqual([join(dataDir, 'serf/local.snapshot.tmp')])
    expect(readFileSync(join(dataDir, 'serf/local.snapshot'), 'utf8')).toBe('leave\n')
  })

  it('is kept by one that leaves to come back', async () => {
    await written(true, true)
    expect(await knownNames(true)).toEqual(['s3 10.0.0.3:8301', 'c2 10.0.1.2:8301'])
  })

  it('is read from a torn file, and from one of the field, as far as it can be', async () => {
    mkdirSync(join(dataDir, 'serf'))
    const lines = [
      'alive: a b 10.0.0.2:8301',
      'clock: 7',
      'alive: s1 10.0.0.1:8301',
      'alive: c [::1]:8301',
      'alive: d 10.0',
    ]
    writeFileSync(join(dataDir, 'serf/local.snapshot'), lines.join('\n'))
    expect(await knownNames()).toEqual(['a b 10.0.0.2:8301', 'c ::1:8301'])
  })

  it('is there after a power cut as it was before the last change or after it, and an agent that left has left', async () => {
    const known = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      const before = new CrashDisk()
      await onDisk(before, [serverMember(1), serverMember(2), serverMember(3)])
      const disk = before.copy()
      await onDisk(disk, [serverMember(1), serverMember(2, 'failed'), serverMember(3)])
      known.add((await knownOn(disk.crashed(new Draws(seed)))).join())
      await onDisk(disk, [serverMember(1), serverMember(2)], 'leaves')
      expect(await knownOn(disk.crashed(new Draws(seed)))).toEqual([])
    }
    expect([...known].sort()).toEqual(['s2,s3', 's3,s2'])
  })

  it('has no lines that a hostile member put into its name', async () => {
    const disk = new CrashDisk()
    const hostile = { ...serverMember(3), name: 'x 10.0.0.9:1\nleave\nalive: y' }
    await onDisk(disk, [serverMember(1), serverMember(2), hostile])
    expect(await knownOn(disk)).toEqual(['s2'])
  })
})
