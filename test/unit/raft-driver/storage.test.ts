import { describe, expect, it } from 'vitest'
import { Draws } from '../raft-log/fake-env.ts'
import { contentEnd } from '../raft-log/log-model.ts'
import { type Options, SmallCluster } from './small-cluster.ts'

const logDirectory = '/data/raft/log'
const snapshotDirectory = '/data/raft/snapshots'

/** Snapshots often, cuts the log close behind them, in small segments. */
const eager: Options = {
  snapshotThreshold: 10,
  snapshotIntervalMs: 100,
  trailingLogs: 3,
  log: { segmentBytes: 400 },
}

/** A server of one that has taken snapshots and cut its log. */
async function seasoned(options: Options = eager): Promise<SmallCluster> {
  const cluster = new SmallCluster()
  await cluster.form(['a'], options)
  for (let i = 0; i < 60; i++) {
    await cluster.settled(cluster.propose('a', `c${i}`))
    await cluster.time.advance(20)
  }
  await cluster.time.advance(2000)
  return cluster
}

function commands(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `c${i}`)
}

async function refusal(cluster: SmallCluster): Promise<{ kind: string; message: string; remedy: string }> {
  const before = cluster.diskOf('a').copy()
  const opened = await cluster.open('a', eager)
  if (opened.ok) throw new Error('it opened')
  for (const directory of [logDirectory, snapshotDirectory]) {
    expect(cluster.diskOf('a').namesIn(directory)).toEqual(before.namesIn(directory))
  }
  return opened.error
}

describe('what a server keeps', () => {
  it('is cut by snapshots and whole after a restart', async () => {
    const cluster = await seasoned()
    const names = cluster.diskOf('a').namesIn(logDirectory)
    expect(names[0]).not.toBe('0000000001.log')
    expect(cluster.diskOf('a').namesIn(snapshotDirectory)).toHaveLength(2)
    cluster.crash('a', { below: () => 0 })
    const { machine, raft } = await cluster.start('a', eager)
    expect(machine.restores).toBe(1)
    expect(raft.status().snapshotIndex).toBeGreaterThan(40)
    expect(raft.status().appliedIndex).toBe(raft.status().snapshotIndex)
    await cluster.until(() => (machine.commands.length === 60 ? true : undefined))
    expect(machine.commands).toEqual(commands(60))
  })

  it('is cut as soon as it is too large, whatever the threshold', async () => {
    const cluster = new SmallCluster()
    const largeLog = 2_000
    await cluster.form(['a'], { snapshotThreshold: 1_000_000, snapshotIntervalMs: 3_600_000, logBytesMax: largeLog })
    let sinceSnapshot = 0
    for (let i = 0; i < 100; i++) {
      const before = cluster.of('a').raft.status().snapshotIndex
      await cluster.settled(cluster.propose('a', 'x'.repeat(100)))
      await cluster.time.advance(20)
      const { snapshotIndex } = cluster.of('a').raft.status()
      sinceSnapshot = snapshotIndex > before ? 0 : sinceSnapshot + 100
      // No more than the limit, or than the last snapshot, which is of all commands so far.
      expect(sinceSnapshot).toBeLessThanOrEqual(Math.max(largeLog, 200 + i * 110))
    }
    expect(cluster.of('a').raft.status().snapshotIndex).toBeGreaterThan(15)
    cluster.crash('a', { below: () => 0 })
    const { machine } = await cluster.start('a', {})
    await cluster.until(() => (machine.commands.length === 100 ? true : undefined))
  })

  it('survives power cuts at any moment while snapshots are taken and the log is cut', async () => {
    for (let seed = 0; seed < 25; seed++) {
      const draws = new Draws(seed)
      const cluster = new SmallCluster()
      await cluster.form(['a'], eager)
      const answered: string[] = []
      for (let round = 0; round < 5; round++) {
        await cluster.leader()
        const disk = cluster.diskOf('a')
        disk.haltAfter = disk.operations + 5 + draws.below(120)
        for (let i = 0; i < 30; i++) {
          const text = `${round}.${i}`
          void cluster.propose('a', text).then((outcome) => outcome.ok && answered.push(text))
          await cluster.time.advance(draws.below(25))
        }
        cluster.crash('a', draws.below(4) === 0 ? undefined : draws)
        await cluster.start('a', eager)
      }
      await cluster.leader()
      const last = await cluster.settled(cluster.propose('a', 'last'))
      expect(last.ok, `seed ${seed}`).toBe(true)
      const kept = cluster.of('a').machine.commands
      expect(
        answered.filter((text) => !kept.includes(text)),
        `seed ${seed}`,
      ).toEqual([])
      expect(new Set(kept).size).toBe(kept.length)
    }
  })

  it('warns of what it cut from a torn end, with the count', async () => {
    const cluster = await seasoned({})
    const disk = cluster.diskOf('a')
    cluster.crash('a')
    const path = `${logDirectory}/0000000001.log`
    const bytes = disk.bytesOf(path).slice()
    const end = contentEnd(bytes)
    bytes.fill(1, end, end + 100)
    disk.plant(path, bytes)
    const { env } = await cluster.start('a')
    const line = env.lines.find((text) => text.includes('cut a torn batch'))
    expect(line).toMatch(/^warn raft: cut a torn batch from the end of the log /)
    expect(line).toContain(`"file":"${path}","offset":${end},"bytes":100,"lastIndex":`)
  })

  it('does without a damaged snapshot when the log reaches back to the one before, and says so', async () => {
    const cluster = await seasoned({ ...eager, trailingLogs: 1000 })
    const disk = cluster.diskOf('a')
    const newest = `${snapshotDirectory}/${disk.namesIn(snapshotDirectory).at(-1)}`
    const bytes = disk.bytesOf(newest).slice()
    bytes[bytes.length - 30] = (bytes[bytes.length - 30] as number) ^ 4
    disk.plant(newest, bytes)
    cluster.crash('a')
    const { machine, env } = await cluster.start('a', eager)
    await cluster.until(() => (machine.commands.length === 60 ? true : undefined))
    expect(env.lines.find((line) => line.includes('a snapshot is not whole'))).toContain(newest)
  })

  it('is refused when a damaged snapshot is the only one that reaches the log', async () => {
    const cluster = await seasoned()
    const disk = cluster.diskOf('a')
    const newest = `${snapshotDirectory}/${disk.namesIn(snapshotDirectory).at(-1)}`
    const bytes = disk.bytesOf(newest).slice()
    bytes[bytes.length - 30] = (bytes[bytes.length - 30] as number) ^ 4
    disk.plant(newest, bytes)
    cluster.crash('a')
    const { kind, message } = await refusal(cluster)
    expect(kind).toBe('damaged-log')
    expect(message).toMatch(new RegExp(`^${newest} is damaged at offset \\d+: `))
  })

  it('is refused when snapshots are missing that the log needs', async () => {
    const cluster = await seasoned()
    const disk = cluster.diskOf('a')
    for (const name of disk.namesIn(snapshotDirectory)) disk.lose(`${snapshotDirectory}/${name}`)
    cluster.crash('a')
    expect((await refusal(cluster)).message).toMatch(/the log begins after entry \d+, and there is no snapshot/)
  })

  it('is refused when the log is missing beside its snapshots', async () => {
    const cluster = await seasoned()
    const disk = cluster.diskOf('a')
    for (const name of disk.namesIn(logDirectory)) disk.lose(`${logDirectory}/${name}`)
    cluster.crash('a')
    expect((await refusal(cluster)).message).toContain('there is no log beside the snapshots')
  })

  it('is refused when a segment in the middle is missing, and nothing is removed', async () => {
    const cluster = await seasoned({ ...eager, snapshotThreshold: 100_000 })
    const disk = cluster.diskOf('a')
    disk.lose(`${logDirectory}/0000000003.log`)
    cluster.crash('a')
    expect((await refusal(cluster)).message).toContain('files are missing')
  })

  it('is refused in an old format, with the way out', async () => {
    const cluster = new SmallCluster()
    const disk = cluster.diskOf('a')
    await disk.makeDirectory('/data/mdb')
    const mdb = await refusal(cluster)
    expect(mdb).toMatchObject({ kind: 'old-format', remedy: expect.stringContaining('empty data directory') })
    expect(mdb.message).toBe('CRITICAL: Deprecated data folder found at "/data/mdb"!')

    const other = new SmallCluster()
    await other.diskOf('a').makeDirectory('/data/raft')
    other.diskOf('a').plant('/data/raft/raft.db', new Uint8Array(10))
    expect((await refusal(other)).message).toContain('"/data/raft/raft.db"')
  })

  it('is refused when the disk cannot be read', async () => {
    const cluster = await seasoned()
    cluster.crash('a')
    cluster.diskOf('a').fault = (operation) => (operation === 'read' ? 'io' : undefined)
    const { kind, remedy } = await refusal(cluster)
    expect(kind).toBe('io')
    expect(remedy).toBe('check the disk')
  })
})
