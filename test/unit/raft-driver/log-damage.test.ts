import { describe, expect, it } from 'vitest'
import type { CrashDisk } from '../raft-log/crash-disk.ts'
import { Draws } from '../raft-log/fake-env.ts'
import { contentEnd } from '../raft-log/log-model.ts'
import { type Options, SmallCluster } from './small-cluster.ts'

const logDirectory = '/data/raft/log'
const isLong = process.env['SVC_TEST_LONG'] === '1'
const trials = isLong ? 2000 : 100
const written = 80

/** Small segments, snapshots now and then, and all of the log kept behind them. */
const often: Options = {
  snapshotThreshold: 25,
  snapshotIntervalMs: 300,
  trailingLogs: 10_000,
  log: { segmentBytes: 3000 },
}
/** One segment and no snapshot: all rests on what the log itself can tell. */
const seldom: Options = { snapshotThreshold: 1_000_000, log: { segmentBytes: 1 << 15 } }

/** A server of one that acknowledged writes, stood idle for two seconds, and was killed. Returns its disk. */
async function killed(options: Options, seed: number): Promise<CrashDisk> {
  const cluster = new SmallCluster()
  await cluster.form(['a'], options)
  const draws = new Draws(seed)
  for (let i = 0; i < written; i++) {
    const taken = await cluster.settled(cluster.propose('a', `c${i}`.padEnd(10 + draws.below(60), '.')))
    if (!taken.ok) throw new Error('a write was refused')
    await cluster.time.advance(draws.below(100))
  }
  await cluster.time.advance(2000)
  cluster.crash('a', { below: () => 0 })
  return cluster.diskOf('a')
}

type Harm = (bytes: Uint8Array, draws: Draws) => Uint8Array

/** What may be done to the bytes of a file; each changes something. */
const harms: Readonly<Record<string, Harm>> = {
  'cut short anywhere': (bytes, draws) => bytes.slice(0, draws.below(bytes.length)),
  'cut to a half': (bytes) => bytes.slice(0, contentEnd(bytes) >> 1),
  'cut where its last batch ends': (bytes) => bytes.slice(0, contentEnd(bytes)),
  'zeros up to the end': (bytes, draws) => bytes.slice().fill(0, 30 + draws.below(contentEnd(bytes) - 30)),
  'a hole of zeros': (bytes, draws) => {
    const at = draws.below(contentEnd(bytes) - 8)
    return bytes.slice().fill(0, at, at + 8 + draws.below(600))
  },
  'bytes put in': (bytes, draws) => {
    const at = draws.below(contentEnd(bytes))
    return joined(bytes.subarray(0, at), new Uint8Array(64).fill(at & 255), bytes.subarray(at))
  },
  'bytes put in, the size kept': (bytes, draws) => {
    const at = draws.below(contentEnd(bytes))
    return joined(bytes.subarray(0, at), new Uint8Array(64), bytes.subarray(at)).slice(0, bytes.length)
  },
  'bytes taken out': (bytes, draws) => {
    const at = draws.below(contentEnd(bytes))
    return joined(bytes.subarray(0, at), bytes.subarray(at + 1 + draws.below(200)))
  },
  'bytes taken out, the size kept': (bytes, draws) => {
    const at = draws.below(contentEnd(bytes) - 1)
    const out = new Uint8Array(bytes.length)
    out.set(joined(bytes.subarray(0, at), bytes.subarray(at + 1 + draws.below(200))))
    return out
  },
  'a bit flipped': (bytes, draws) => {
    const out = bytes.slice()
    const at = draws.below(contentEnd(bytes))
    out[at] = (out[at] as number) ^ (1 << draws.below(8))
    return out
  },
  'a stretch copied over another': (bytes, draws) => {
    const out = bytes.slice()
    const from = draws.below(contentEnd(bytes))
    out.copyWithin(draws.below(contentEnd(bytes)), from, from + 200)
    return out
  },
  emptied: () => new Uint8Array(0),
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

interface Judged {
  readonly outcome: 'refused' | 'told' | 'unharmed' | 'silent'
  readonly message: string
}

/** Starts the server on what is left, and compares with what it had acknowledged. */
async function judge(disk: CrashDisk, options: Options): Promise<Judged> {
  const cluster = new SmallCluster()
  cluster.disks.set('a', disk)
  const opened = await cluster.open('a', options)
  if (!opened.ok) return { outcome: 'refused', message: opened.error.message }
  await cluster.leader()
  await cluster.settled(cluster.propose('a', 'last'))
  const kept = new Set(opened.value.machine.commands.map((text) => text.replace(/\.*$/, '')))
  const lost = Array.from({ length: written }, (_, i) => `c${i}`).filter((text) => !kept.has(text))
  const warning = opened.value.env.lines.find((line) => /^(warn|error) raft: cut a torn batch/.test(line))
  if (lost.length === 0) return { outcome: 'unharmed', message: '' }
  return { outcome: warning === undefined ? 'silent' : 'told', message: `${lost.length} lost, ${warning}` }
}

describe('a log that is not as it was written', () => {
  it(`never loses an acknowledged write without a word, in ${trials} truncations and corruptions`, async () => {
    const kinds = Object.entries(harms)
    const counts = { refused: 0, told: 0, unharmed: 0, silent: 0 }
    for (let trial = 0; trial < trials; trial++) {
      const draws = new Draws(trial)
      const options = trial % 2 === 0 ? often : seldom
      const [kind, harm] = kinds[trial % kinds.length] as [string, Harm]
      const disk = await killed(options, trial % 6)
      const files = disk.namesIn(logDirectory)
      const name = files[draws.below(3) === 0 ? draws.below(files.length) : Math.max(0, files.length - 2)] as string
      const path = `${logDirectory}/${name}`
      disk.plant(path, harm(disk.bytesOf(path), draws))
      const { outcome, message } = await judge(disk, options)
      counts[outcome]++
      expect(outcome, `trial ${trial}, ${name}: ${kind}: ${message}`).not.toBe('silent')
      // All of it had been durable for long: nothing of it may pass for torn.
      expect(outcome, `trial ${trial}, ${name}: ${kind}: ${message}`).not.toBe('told')
      if (outcome === 'refused') expect(message).toMatch(/offset \d+|missing|no segment|goes on in|begins after/)
    }
    expect(counts.refused).toBeGreaterThan(trials / 2)
  }, 600_000)

  it('is not refused when it is whole, at whatever moment the server was killed', async () => {
    for (let seed = 0; seed < 6; seed++) {
      for (const options of [often, seldom]) {
        const judged = await judge(await killed(options, seed), options)
        expect(judged, `seed ${seed}`).toEqual({ outcome: 'unharmed', message: '' })
      }
    }
  })

  it('is refused in words that name the file, the offset, what is known to be lost, and the way out', async () => {
    const disk = await killed(seldom, 1)
    const path = `${logDirectory}/0000000001.log`
    const bytes = disk.bytesOf(path)
    disk.plant(path, bytes.slice(0, contentEnd(bytes) >> 1))
    const cluster = new SmallCluster()
    cluster.disks.set('a', disk)
    const opened = await cluster.open('a', seldom)
    if (opened.ok) throw new Error('it opened')
    expect(opened.error.message).toMatch(
      /^\/data\/raft\/log\/0000000001\.log is damaged at offset \d+: its end is missing: it has \d+ bytes, and was made with 32768; entries \d+ to 8\d are known to be lost, and whatever came after them$/,
    )
    expect(opened.error.remedy).toContain('join again as a new server')
    expect(opened.error.remedy).toContain('-accept-lost-log')
  })

  it('is refused when a snapshot that was taken here reaches further, though the log looks whole', async () => {
    const disk = await killed({ ...often, log: { segmentBytes: 1 << 15 } }, 2)
    const other = await killed({ ...seldom, log: { segmentBytes: 1 << 15 } }, 3)
    // A whole log, of the same server, that never went so far.
    const cluster = new SmallCluster()
    await cluster.form(['a'], seldom)
    await cluster.time.advance(3000)
    cluster.crash('a', { below: () => 0 })
    for (const name of disk.namesIn(logDirectory)) disk.lose(`${logDirectory}/${name}`)
    const short = cluster.diskOf('a')
    for (const name of short.namesIn(logDirectory)) {
      disk.plant(`${logDirectory}/${name}`, short.bytesOf(`${logDirectory}/${name}`))
    }
    expect(other.namesIn('/data/raft/snapshots')).toEqual([])
    const judged = await judge(disk, often)
    expect(judged.message).toMatch(/it ends with entry 2, and a snapshot that was taken here says that it reached \d\d/)
  })

  it('is noticed by the leader where nothing on the disk can tell: an older copy of the whole directory', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(['a', 'b', 'c'], seldom)
    const follower = ['a', 'b', 'c'].find((id) => id !== leader) as string
    for (let i = 0; i < 5; i++) await cluster.settled(cluster.propose(leader, `c${i}`))
    await cluster.time.advance(3000)
    const older = cluster.diskOf(follower).copy()
    for (let i = 5; i < 15; i++) await cluster.settled(cluster.propose(leader, `c${i}`))
    await cluster.time.advance(200)
    cluster.crash(follower)
    cluster.disks.set(follower, older)
    const { machine } = await cluster.start(follower, seldom)
    await cluster.until(() => (machine.commands.length === 15 ? true : undefined))
    const { env } = cluster.of(leader)
    const line = env.lines.find((text) => text.includes('has lost entries that it acknowledged'))
    expect(line).toMatch(/^warn raft: .*"committed":true,"remedy":"it is sent those entries again, but/)
    expect(env.seen.get('raft.replication.lostLog')).toEqual([1])
  })

  it('is refused when its watermark is missing', async () => {
    const disk = await killed(seldom, 1)
    disk.lose(`${logDirectory}/watermark`)
    expect((await judge(disk, seldom)).message).toContain('watermark: it is missing beside the segments')
  })
})
