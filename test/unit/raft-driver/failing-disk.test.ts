import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { CrashDisk } from '../raft-log/crash-disk.ts'
import { Draws } from '../raft-log/fake-env.ts'
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

/** Fails each operation on a snapshot for which this is true. */
function failSnapshots(disk: CrashDisk, fails: (operation: string, path: string) => boolean): void {
  disk.fault = (operation, path) => (path.startsWith(snapshots) && fails(operation, path) ? 'io' : undefined)
}

/** Proposes one command after another; returns those that were acknowledged. */
async function proposed(cluster: SmallCluster, id: string, count: number, name = 'c'): Promise<readonly string[]> {
  const answered: string[] = []
  for (let i = 0; i < count; i++) {
    const text = `${name}${i}`
    void cluster.propose(id, text).then((outcome) => outcome.ok && answered.push(text))
    await cluster.time.advance(20)
  }
  return answered
}

describe('a disk that fails', () => {
  it.each(['open', 'truncate', 'write', 'sync', 'rename', 'syncDirectory'])(
    'at a snapshot (%s) leaves the one before and the log, and it is taken when the disk is well',
    async (failing) => {
      const cluster = new SmallCluster()
      await cluster.form(['a'], eager)
      await proposed(cluster, 'a', 20)
      const disk = cluster.diskOf('a')
      const { raft, env, fatal } = cluster.of('a')
      const before = raft.status().snapshotIndex
      const names = disk.namesIn(snapshots)
      failSnapshots(disk, (operation) => operation === failing)
      const answered = await proposed(cluster, 'a', 30, 'd')
      await cluster.time.advance(500)
      expect([raft.status().snapshotIndex, fatal, answered.length]).toEqual([before, [], 30])
      expect(disk.namesIn(snapshots)).toEqual(names)
      const lines = env.lines.filter((line) => line.includes('a snapshot could not be written: it is tried again'))
      expect(lines.length).toBeGreaterThan(2)
      expect(lines[0]).toMatch(/^error raft: .*"why":"[/]data[/]raft[/]snapshots/)
      disk.fault = () => undefined
      await cluster.time.advance(500)
      expect(raft.status().snapshotIndex).toBeGreaterThan(before + 20)
    },
  )

  it('and keeps unfinished snapshots gets one more of them at most, and none once it lets them go', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'], eager)
    await proposed(cluster, 'a', 20)
    const disk = cluster.diskOf('a')
    failSnapshots(disk, (operation) => operation === 'sync' || operation === 'remove')
    await proposed(cluster, 'a', 60, 'd')
    const unfinished = (): number => disk.namesIn(snapshots).filter((name) => name.endsWith('.tmp')).length
    expect(unfinished()).toBe(1)
    failSnapshots(disk, (operation) => operation === 'sync')
    await cluster.time.advance(500)
    expect([unfinished(), cluster.of('a').fatal]).toEqual([0, []])
  })

  it('and does not remove old snapshots has new ones nevertheless, up to a limit, and removes them later', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'], eager)
    await proposed(cluster, 'a', 20)
    const disk = cluster.diskOf('a')
    failSnapshots(disk, (operation) => operation === 'remove')
    await proposed(cluster, 'a', 120, 'd')
    const { raft, fatal, env } = cluster.of('a')
    const before = raft.status().snapshotIndex
    expect([disk.namesIn(snapshots).length, fatal]).toEqual([10, []])
    expect(env.lines.join('\n')).toContain('warn raft: snapshots that are not needed could not be removed')
    disk.fault = () => undefined
    await cluster.time.advance(500)
    expect(disk.namesIn(snapshots)).toHaveLength(2)
    expect(raft.status().snapshotIndex).toBeGreaterThan(before)
  })

  it('at one old file for good (snapshot, segment) goes on, removes the others, and starts again', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'], eager)
    const answered = [...(await proposed(cluster, 'a', 20))]
    const stuck = ['/data/raft/log', snapshots].map((directory) => {
      const name = cluster
        .diskOf('a')
        .namesIn(directory)
        .find((each) => !each.startsWith('w'))
      return `${directory}/${name}`
    })
    const refuseRemoval = (): void => {
      cluster.diskOf('a').fault = (operation, path) =>
        operation === 'remove' && stuck.includes(path) ? 'permission' : undefined
    }
    refuseRemoval()
    for (const life of ['first', 'second', 'third']) {
      answered.push(...(await proposed(cluster, 'a', 60, life)))
      const { raft, fatal, env } = cluster.of('a')
      expect([answered.length % 20, fatal]).toEqual([0, []])
      expect(raft.status().lastIndex - raft.status().snapshotIndex, life).toBeLessThan(20)
      for (const path of stuck) expect(env.lines.join('\n')).toContain(`"why":"${path}: planted permission"`)
      expect(cluster.diskOf('a').namesIn(snapshots)).toHaveLength(3)
      expect(cluster.diskOf('a').namesIn('/data/raft/log').length).toBeLessThan(12)
      cluster.crash('a', new Draws(1))
      refuseRemoval()
      await cluster.start('a', eager)
      await cluster.leader()
    }
    expect(answered.filter((text) => !cluster.of('a').machine.commands.includes(text))).toEqual([])
  })

  it('is asked for one snapshot in an interval, however long the log is', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'], { snapshotThreshold: 1_000_000, snapshotIntervalMs: 1000, logBytesMax: 100 })
    const disk = cluster.diskOf('a')
    failSnapshots(disk, () => true)
    await proposed(cluster, 'a', 200)
    const lines = cluster.of('a').env.lines.filter((line) => line.includes('a snapshot could not be written'))
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.length).toBeLessThan(8)
  })

  it.each(['open', 'truncate', 'write', 'sync', 'read', 'rename', 'syncDirectory'])(
    'of a follower that is sent a snapshot (%s): it goes on, and takes it from its start when the disk is well',
    async (failing) => {
      const cluster = new SmallCluster()
      const leader = await cluster.form(['a', 'b', 'c'], eager)
      const sleeper = leader === 'a' ? 'b' : 'a'
      cluster.crash(sleeper)
      await proposed(cluster, leader, 60)
      const { fatal, env, machine } = await cluster.start(sleeper, eager)
      const disk = cluster.diskOf(sleeper)
      failSnapshots(disk, (operation) => operation === failing)
      await cluster.time.advance(5000)
      expect([fatal, machine.restores]).toEqual([[], 0])
      expect(env.lines.join('\n')).toContain('a received snapshot could not be written: it is requested again')
      expect(disk.namesIn(snapshots)).toEqual([])
      disk.fault = () => undefined
      await cluster.until(() => (machine.restores === 1 ? true : undefined))
      await cluster.until(() => (machine.commands.length === 60 ? true : undefined))
    },
  )

  it('loses nothing that was acknowledged, whichever operation fails, and the server says which, or goes on', async () => {
    const whole = new SmallCluster()
    await whole.form(['a'], eager)
    const before = whole.diskOf('a').operations
    await proposed(whole, 'a', 30)
    const operations = whole.diskOf('a').operations - before
    expect(operations).toBeGreaterThan(150)
    let stopped = 0
    for (let failing = 1; failing <= operations; failing += 3) {
      const cluster = new SmallCluster()
      await cluster.form(['a'], eager)
      const disk = cluster.diskOf('a')
      let [count, failed] = [0, '']
      disk.fault = (operation, path) => {
        if (++count === failing) failed = `${operation} ${path}`
        return count === failing ? 'io' : undefined
      }
      const answered = await proposed(cluster, 'a', 30)
      const { fatal } = cluster.of('a')
      const path = failed.split(' ')[1] as string
      if (fatal.length === 0) expect(answered.length, failed).toBe(30)
      else expect(fatal.map(({ message }) => message).join(), failed).toContain(path)
      stopped += fatal.length
      cluster.crash('a', new Draws(failing))
      const { machine } = await cluster.start('a', eager)
      await cluster.leader()
      await cluster.settled(cluster.propose('a', 'last'))
      expect(
        answered.filter((text) => !machine.commands.includes(text)),
        failed,
      ).toEqual([])
    }
    expect(stopped).toBeGreaterThan(20)
  })

  it('at a start has the server refuse, whichever operation fails: it says which, and starts when the disk is well', async () => {
    const former = new SmallCluster()
    await former.form(['a'], eager)
    const answered = await proposed(former, 'a', 30)
    former.crash('a', new Draws(1))
    const startOn = async (disk: CrashDisk) => {
      const cluster = new SmallCluster()
      cluster.disks.set('a', disk)
      return { cluster, opened: await cluster.open('a', eager) }
    }
    const sound = former.diskOf('a').copy()
    const { opened: started } = await startOn(sound)
    expect(started.ok).toBe(true)
    for (let failing = 1; failing <= sound.operations; failing++) {
      const disk = former.diskOf('a').copy()
      let [count, failed] = [0, '']
      disk.fault = (operation, path) => {
        if (++count !== failing) return undefined
        failed = `${operation} ${path}`
        return operation === 'close' ? undefined : 'io'
      }
      const { cluster: first, opened } = await startOn(disk)
      await first.time.advance(0)
      disk.fault = () => undefined
      // The first write of the server that has started may be the one that fails.
      const said = opened.ok ? opened.value.fatal.map(({ message }) => message).join() : opened.error.message
      if (said === '') expect(failed, `operation ${failing}`).toMatch(/^close |^makeDirectory [/]data$/)
      else expect(said, failed).toContain(`${failed.split(' ')[1]}: planted io`)
      if (!opened.ok) expect(opened.error.kind, failed).toBe('io')
      const { cluster } = await startOn(disk.crashed(new Draws(failing)))
      await cluster.leader()
      await cluster.settled(cluster.propose('a', 'last'))
      expect(cluster.of('a').machine.commands, failed).toEqual([...answered, 'last'])
    }
  })

  it('while the log is open and other files are still written is not forgotten: the server stops when it begins', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a', 'b'])
    for (const id of ['a', 'b']) cluster.crash(id)
    const disk = cluster.diskOf('a')
    disk.plant('/data/raft/peers.json', utf8(JSON.stringify([{ id: 'a', address: 'a:8300' }])))
    let letGo = (): void => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    disk.stall = (operation) => (operation === 'remove' ? held : undefined)
    const opening = cluster.open('a')
    await cluster.time.advance(100)
    disk.fault = (operation, path) => (operation === 'write' && path.endsWith('watermark') ? 'io' : undefined)
    // The log has had its first write, and its mark follows a second later.
    await cluster.time.advance(2000)
    letGo()
    await cluster.time.advance(0)
    const opened = await opening
    if (!opened.ok) throw new Error(opened.error.message)
    expect(opened.value.fatal.map(({ message }) => message)).toEqual(['raft log: /data/raft/log/watermark: planted io'])
    expect(await opened.value.raft.propose(utf8('x'))).toMatchObject({ ok: false })
  })
})
