import { describe, expect, it } from 'vitest'
import type { CrashDisk } from '../raft-log/crash-disk.ts'
import { Draws } from '../raft-log/fake-env.ts'
import { contentEnd } from '../raft-log/log-model.ts'
import { configurationOf, type Options, SmallCluster } from './small-cluster.ts'

const raftDirectory = '/data/raft'
const logDirectory = `${raftDirectory}/log`
const plain: Options = { snapshotThreshold: 1_000_000, log: { segmentBytes: 1 << 15 } }
const accepting: Options = { ...plain, acceptLostLog: true }

/** Writes forty commands at the leader, waits two seconds, and cuts the power of `a`. */
async function written(ids: readonly string[], options: Options = plain): Promise<SmallCluster> {
  const cluster = new SmallCluster()
  const leader = await cluster.form(ids, options)
  for (let i = 0; i < 40; i++) await cluster.settled(cluster.propose(leader, `c${i}`))
  await cluster.time.advance(2000)
  cluster.crash('a', { below: () => 0 })
  return cluster
}

/** Leaves this part of what was written into the newest segment. */
function cut(disk: CrashDisk, part: number): void {
  const name = disk.namesIn(logDirectory).findLast((it) => it.endsWith('.log'))
  const path = `${logDirectory}/${name}`
  const bytes = disk.bytesOf(path)
  disk.plant(path, bytes.slice(0, Math.floor(contentEnd(bytes) * part)))
}

async function refusal(cluster: SmallCluster, options: Options = accepting): Promise<string> {
  const opened = await cluster.open('a', options)
  return opened.ok ? 'it opened' : opened.error.message
}

describe('a damaged log whose loss is accepted', () => {
  it('goes on from what stands before the damage, in a newer term, and lays the damaged one away', async () => {
    const cluster = await written(['a'])
    const disk = cluster.diskOf('a')
    cut(disk, 0.5)
    expect(await refusal(cluster, plain)).toContain('are known to be lost')
    const damaged = disk.bytesOf(`${logDirectory}/0000000001.log`)
    const { raft, machine, env } = await cluster.start('a', accepting)
    await cluster.leader()
    expect((await cluster.settled(cluster.propose('a', 'next'))).ok).toBe(true)
    expect(machine.commands.length).toBeGreaterThan(10)
    expect(machine.commands.length).toBeLessThan(41)
    expect(machine.commands.slice(0, -1)).toEqual(machine.commands.slice(0, -1).map((_, i) => `c${i}`))
    expect(raft.status().term).toBeGreaterThan(2)
    expect(env.lines.find((line) => line.includes('-accept-lost-log'))).toMatch(
      /^warn raft: .*\/data\/raft\/log\.lost-1/,
    )
    expect(disk.bytesOf(`${logDirectory}.lost-1/0000000001.log`)).toEqual(damaged)
    cluster.crash('a', { below: () => 0 })
    const again = await cluster.start('a', accepting)
    await cluster.until(() => (again.machine.commands.at(-1) === 'next' ? true : undefined))
    expect(again.env.lines.find((line) => line.includes('-accept-lost-log'))).toContain('nothing is lost')
  })

  it('goes on from its snapshot where nothing of the log can be read', async () => {
    const options = { ...plain, snapshotThreshold: 15, snapshotIntervalMs: 200, trailingLogs: 2 }
    const cluster = new SmallCluster()
    await cluster.form(['a'], options)
    for (let i = 0; i < 40; i++) {
      await cluster.settled(cluster.propose('a', `c${i}`))
      await cluster.time.advance(50)
    }
    const { snapshotIndex } = cluster.of('a').raft.status()
    cluster.crash('a', { below: () => 0 })
    cut(cluster.diskOf('a'), 0)
    const { raft } = await cluster.start('a', { ...options, acceptLostLog: true })
    expect(snapshotIndex).toBeGreaterThan(20)
    expect(raft.status().appliedIndex).toBe(snapshotIndex)
    await cluster.leader()
    expect((await cluster.settled(cluster.propose('a', 'next'))).ok).toBe(true)
  })

  it('is refused where others vote too, whatever they are, and nothing is changed', async () => {
    const cluster = await written(['a', 'b', 'c'])
    const disk = cluster.diskOf('a')
    cut(disk, 0.5)
    const before = disk.namesIn(logDirectory).map((name) => disk.bytesOf(`${logDirectory}/${name}`))
    expect(await refusal(cluster)).toMatch(
      /-accept-lost-log is refused: .* has the voters a, b, c, and not this server/,
    )
    expect(disk.namesIn(logDirectory).map((name) => disk.bytesOf(`${logDirectory}/${name}`))).toEqual(before)
    expect(await refusal(cluster, plain)).not.toContain('is refused')
  })

  it('is refused where the configuration that made others voters is lost, or stands behind the damage', async () => {
    for (const part of [0.5, 0.9]) {
      const cluster = new SmallCluster()
      await cluster.form(['a'], plain)
      for (let i = 0; i < 40; i++) await cluster.settled(cluster.propose('a', `c${i}`))
      await cluster.start('b', plain)
      const added = cluster.of('a').raft.changeConfiguration({ kind: 'add-voter', id: 'b', address: 'b:8300' })
      await cluster.settled(added)
      await cluster.settled(cluster.propose('a', 'more'))
      await cluster.time.advance(2000)
      cluster.crash('a', { below: () => 0 })
      const disk = cluster.diskOf('a')
      if (part === 0.5) cut(disk, part)
      else {
        const path = `${logDirectory}/0000000001.log`
        const bytes = disk.bytesOf(path).slice()
        bytes[contentEnd(bytes) >> 1] = 1 ^ (bytes[contentEnd(bytes) >> 1] as number)
        disk.plant(path, bytes)
      }
      expect(await refusal(cluster)).toMatch(
        /is refused: (the configuration of entry \d+.* is lost|.*has the voters a, b)/,
      )
    }
  })

  it('is a loss that the leader of others would notice: it is refused for a server that is no voter', async () => {
    const cluster = await written(['a'])
    cut(cluster.diskOf('a'), 0.5)
    expect(configurationOf(['a']).servers).toHaveLength(1)
    cluster.disks.set('z', cluster.diskOf('a'))
    const opened = await cluster.open('z', accepting)
    expect(opened.ok ? '' : opened.error.message).toContain('has the voters a, and not this server (z) alone')
  })

  it('is there or is not, whenever the power goes while it is accepted', async () => {
    const calm = await written(['a'])
    cut(calm.diskOf('a'), 0.5)
    const first = calm.diskOf('a').operations
    await calm.start('a', accepting)
    const steps = calm.diskOf('a').operations - first
    for (let step = 0; step <= steps; step += process.env['SVC_TEST_LONG'] === '1' ? 1 : 13) {
      const cluster = await written(['a'])
      cut(cluster.diskOf('a'), 0.5)
      const disk = cluster.diskOf('a')
      disk.haltAfter = disk.operations + step
      const halted = new Promise<void>((resolve) => {
        disk.onHalt = resolve
      })
      await Promise.race([cluster.open('a', accepting), halted])
      cluster.crash('a', new Draws(step))
      const { machine } = await cluster.start('a', accepting)
      await cluster.leader()
      expect((await cluster.settled(cluster.propose('a', 'next'))).ok, `step ${step}`).toBe(true)
      expect(machine.commands.length, `step ${step}`).toBeGreaterThan(10)
    }
  })
})
