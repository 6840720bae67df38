import { describe, expect, it } from 'vitest'
import { type Options, SmallCluster } from './small-cluster.ts'

const snapshots = '/data/raft/snapshots'

/** Snapshots often, cuts the log close behind them, in small segments. */
const eager: Options = {
  snapshotThreshold: 5,
  snapshotIntervalMs: 100,
  trailingLogs: 2,
  limits: { snapshotChunkBytes: 200 },
  log: { segmentBytes: 400 },
}

/** Nothing is left of what was not synced. */
const worst = { below: () => 0 }

/** A sync that failed is not repeated by later ones: what it should have written can be read until the power goes. */
describe('a file whose name could not be made durable', () => {
  it('is not relied on by a server whose first start failed for that, whichever operation it was', async () => {
    const refusals: string[] = []
    for (let failing = 1, failed = 'some'; failed !== ''; failing++) {
      const cluster = new SmallCluster()
      let count = 0
      failed = ''
      cluster.diskOf('a').fault = (operation, path) => {
        if (++count === failing) failed = `${operation} ${path}`
        return count === failing ? 'io' : undefined
      }
      const first = await cluster.open('a')
      if (!first.ok) refusals.push(failed)
      cluster.crash('a')
      await cluster.form(['a'])
      expect((await cluster.settled(cluster.propose('a', 'acknowledged'))).ok, failed).toBe(true)
      cluster.crash('a', worst)
      const { machine } = await cluster.start('a')
      await cluster.leader()
      await cluster.settled(cluster.propose('a', 'last'))
      expect(machine.commands, failed).toEqual(['acknowledged', 'last'])
    }
    expect(refusals).toContain('syncDirectory /data/raft/log')
    expect(refusals.length).toBeGreaterThan(30)
  })

  it('is a snapshot for which no log is dropped until its name is durable', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(['a', 'b', 'c'], eager)
    const sleeper = leader === 'a' ? 'b' : 'a'
    cluster.crash(sleeper)
    for (let i = 0; i < 60; i++) await cluster.settled(cluster.propose(leader, `c${i}`))
    await cluster.time.advance(500)
    await cluster.start(sleeper, eager)
    const failing = ['syncDirectory', 'remove']
    cluster.diskOf(sleeper).fault = (operation, path) =>
      failing.includes(operation) && path.startsWith(snapshots) ? 'io' : undefined
    await cluster.until(() => (cluster.diskOf(sleeper).namesIn(snapshots).length > 0 ? true : undefined))
    await cluster.time.advance(0)
    cluster.crash(sleeper)
    expect((await cluster.start(sleeper, eager)).raft.status().snapshotIndex).toBeGreaterThan(20)
    cluster.crash(sleeper, worst)
    const { machine } = await cluster.start(sleeper, eager)
    await cluster.until(() => (machine.commands.length === 60 ? true : undefined))
  })
})
