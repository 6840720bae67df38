import { describe, expect, it } from 'vitest'
import { snapshotDefaultsOf } from '../../../src/model/release.ts'
import { SmallCluster } from './small-cluster.ts'

const old = { major: 1, minor: 0, patch: 7 }
const since = { major: 1, minor: 1, patch: 0 }

/** A lone server with the defaults of a release; what it answers is the index that its newest snapshot covers. */
async function serverOf(release: typeof old) {
  const { threshold, intervalMs } = snapshotDefaultsOf(release)
  const cluster = new SmallCluster({ inMemory: true })
  await cluster.form(['a'], { snapshotThreshold: threshold, snapshotIntervalMs: intervalMs })
  let written = 0
  return async (upTo: number): Promise<number> => {
    while (written < upTo) {
      const batch = Array.from({ length: Math.min(1000, upTo - written) }, () => cluster.propose('a', 'x'))
      await cluster.settled(Promise.all(batch))
      written += batch.length
    }
    await cluster.time.advance(2 * intervalMs)
    return cluster.of('a').raft.status().snapshotIndex
  }
}

describe('[UPG-010] a snapshot of the log', () => {
  it('is there after 9,000 writes at release 1.0.7, and not at 1.1.0', async () => {
    const earlier = await serverOf(old)
    expect(await earlier(8_000)).toBe(0)
    expect(await earlier(9_000)).toBeGreaterThan(8_192)
    const later = await serverOf(since)
    expect(await later(9_000)).toBe(0)
  })

  it('is there at 1.1.0 after 16,384 entries', async () => {
    const later = await serverOf(since)
    expect(await later(16_000)).toBe(0)
    expect(await later(16_500)).toBeGreaterThan(16_384)
  })
})
