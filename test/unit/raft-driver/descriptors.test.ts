import { describe, expect, it } from 'vitest'
import type { DiskFailureKind } from '../../../src/env/disk.ts'
import { type Options, SmallCluster } from './small-cluster.ts'

const small: Options = { log: { segmentBytes: 1024 } }
const eager: Options = { snapshotThreshold: 20, snapshotIntervalMs: 500, trailingLogs: 5 }

/** No file descriptor is left on this server for paths that end like this, until what it returns is called. */
function exhaust(cluster: SmallCluster, id: string, ...ends: readonly string[]): () => void {
  const disk = cluster.diskOf(id)
  disk.fault = (operation, path): DiskFailureKind | undefined =>
    operation === 'open' && ends.some((end) => path.endsWith(end)) ? 'no-descriptor' : undefined
  return () => {
    disk.fault = () => undefined
  }
}

const words = Array.from({ length: 40 }, (_, i) => `command ${i} with some words, of which a segment holds few`)

describe('without a file descriptor', () => {
  it('a server alone waits for its next segment, answers reads, and goes on when there is one', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'], small)
    const { raft, machine, fatal, env } = cluster.of('a')
    const end = exhaust(cluster, 'a', '.tmp')
    const proposed = words.map((text) => cluster.settled(cluster.propose('a', text)))
    await cluster.time.advance(5000)
    expect([machine.commands.length < words.length, fatal]).toEqual([true, []])
    expect(raft.status()).toMatchObject({ role: 'leader', diskIsFull: false })
    expect(env.lines.join('\n')).toContain('no file descriptor is left for a new segment of the log: writes wait')
    end()
    await cluster.time.advance(1000)
    expect((await Promise.all(proposed)).every(({ ok }) => ok)).toBe(true)
    expect(machine.commands).toEqual(words)
  })

  it('a leader commits with the disks of the others, and hands over to one of them', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(['a', 'b', 'c'], small)
    const end = exhaust(cluster, old, '.tmp')
    for (const text of words) expect(await cluster.settled(cluster.propose(old, text))).toMatchObject({ ok: true })
    await cluster.until(() => (cluster.of(old).raft.status().role === 'leader' ? undefined : true))
    end()
    await cluster.time.advance(3000)
    for (const id of ['a', 'b', 'c']) {
      expect([cluster.of(id).machine.commands, cluster.of(id).fatal]).toEqual([words, []])
    }
  })

  it('a follower keeps a received snapshot, and takes it into use when there is one', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(['a', 'b', 'c'], eager)
    const sleeper = leader === 'a' ? 'b' : 'a'
    cluster.crash(sleeper)
    for (const text of words) await cluster.settled(cluster.propose(leader, text))
    await cluster.time.advance(1000)
    const { fatal, machine, env } = await cluster.start(sleeper, eager)
    const end = exhaust(cluster, sleeper, '.snapshot')
    await cluster.until(() =>
      cluster.diskOf(sleeper).namesIn('/data/raft/snapshots').join().endsWith('.snapshot') ? true : undefined,
    )
    expect(await cluster.settled(cluster.propose(leader, 'meanwhile'))).toMatchObject({ ok: true })
    await cluster.time.advance(4000)
    expect([machine.restores, machine.commands, fatal]).toEqual([0, [], []])
    expect(env.lines.join('\n')).toContain('no file descriptor is left for a received snapshot')
    end()
    await cluster.time.advance(1500)
    expect([machine.restores, machine.commands, fatal]).toEqual([1, [...words, 'meanwhile'], []])
  })
})
