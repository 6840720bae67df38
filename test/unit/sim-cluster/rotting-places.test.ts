import { describe, expect, it } from 'vitest'
import { harmedLog, rottingPlaces } from '../../../sim/cluster/rotting-places.ts'

function written(bytes: number, setAside = 0): Uint8Array {
  return new Uint8Array(bytes + setAside).fill(1, 0, bytes)
}

describe('where a bit may rot', () => {
  it('is anywhere in a snapshot, and in the older half of what a part of the log holds', () => {
    const files = new Map([
      ['/data/node-id', written(36)],
      ['/data/raft/log/0000000001.log', written(20_000, 50_000)],
      ['/data/raft/snapshots/2-10.snapshot', written(300)],
    ])
    expect(rottingPlaces(files)).toEqual([
      { path: '/data/raft/log/0000000001.log', before: 10_000 },
      { path: '/data/raft/snapshots/2-10.snapshot', before: 300 },
    ])
  })

  it('is not in a log so short that one write may have made it', () => {
    expect(rottingPlaces(new Map([['/data/raft/log/0000000001.log', written(5_000, 50_000)]]))).toEqual([])
  })
})

describe('a log that is harmed', () => {
  it('is the newest file of it, and never what it was', () => {
    const files = new Map([
      ['/data/raft/log/0000000001.log', written(20_000)],
      ['/data/raft/log/0000000002.log', written(20_000, 50_000)],
      ['/data/raft/log/watermark', written(8192)],
    ])
    const lengths = new Set<number>()
    for (let seed = 0; seed < 40; seed++) {
      let next = seed
      const harm = harmedLog(files, (bound) => {
        next = (next * 7 + 3) % 1_000_003
        return next % bound
      })
      expect(harm?.path).toBe('/data/raft/log/0000000002.log')
      expect(harm?.bytes).not.toEqual(files.get('/data/raft/log/0000000002.log'))
      lengths.add(harm?.bytes.length ?? 0)
    }
    expect(lengths).toContain(20_000)
    expect(lengths).toContain(70_000)
    expect(lengths).toContain(70_064)
    expect(harmedLog(new Map([['/data/node-id', written(36)]]), () => 0)).toBeUndefined()
  })
})
