import { describe, expect, it } from 'vitest'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { SnapshotChunk } from '../../../src/raft/core/messages.ts'
import { snapshotMetaAt } from '../../../src/raft/core/snapshot.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import {
  appendRequest,
  Cluster,
  command,
  configurationEntry,
  find,
  members,
  type Past,
  voteRequest,
} from './cluster.ts'
import { configuration, meta, trio } from './trio.ts'

function chunk(over: Partial<SnapshotChunk> = {}): SnapshotChunk {
  return {
    kind: 'snapshot-chunk',
    term: termOf(2),
    meta: meta(5, 2),
    sizeBytes: 8,
    offset: 0,
    bytes: new Uint8Array(4),
    round: 1,
    ...over,
  }
}

function follower(past: Past = {}): Cluster {
  return new Cluster({ voters: trio, running: ['s1'], past: { s1: past } })
}

function stored(cluster: Cluster, what: SnapshotMeta, complete = true, term = 2): readonly RaftEffect[] {
  const done = { nextOffset: complete ? 8 : 4, complete, round: 1 }
  return cluster.step('s1', { kind: 'chunk-stored', from: 's2', term, meta: what, ...done })
}

describe('receiving a snapshot (paper 7; hashicorp/raft#704)', () => {
  it('each piece is written aside, and the next is asked for', () => {
    const cluster = follower()
    const effects = cluster.receive('s1', 's2', chunk())
    expect(find(effects, 'store-chunk')).toMatchObject({ from: 's2', chunk: { offset: 0 } })
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
    stored(cluster, meta(5, 2), false)
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ to: 's2', index: 5, nextOffset: 4, installed: false }])
  })

  it.each([false, true])('a piece of an earlier term is not answered to the same leader: complete: %s', (complete) => {
    const cluster = follower()
    cluster.receive('s1', 's2', chunk({ round: 9 }))
    cluster.receive('s1', 's2', appendRequest({ term: 4 }))
    cluster.mail()
    stored(cluster, meta(5, 2), complete)
    expect(cluster.mail()).toEqual([])
    expect(cluster.raft('s1').commit).toBe(complete ? 5 : 0)
  })

  it('is a sign of life of the leader', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', chunk())
    cluster.mail()
    cluster.receive('s1', 's3', voteRequest({ term: 9, lastIndex: 99, lastTerm: 9 }))
    expect(cluster.mail()).toEqual([])
  })

  it.each<[string, readonly number[]]>([
    ['a shorter log', [1, 1]],
    ['a longer log with another entry there', [1, 1, 1, 1, 1, 1, 1]],
    ['a log that ends with another entry there', [1, 1, 1, 1, 1]],
  ])('replaces %s, all of it', (_, terms) => {
    const cluster = follower({ terms })
    cluster.receive('s1', 's2', chunk())
    const effects = stored(cluster, meta(5, 2))
    expect(find(effects, 'install-snapshot')).toEqual({ kind: 'install-snapshot', meta: meta(5, 2) })
    expect(cluster.raft('s1').log).toMatchObject({ baseIndex: 5, lastIndex: 5, lastTerm: 2 })
    expect(cluster.raft('s1')).toMatchObject({ commit: 5, applied: 5 })
    expect(cluster.applied.get('s1')).toEqual(['snapshot 5'])
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ index: 5, installed: true }])
    cluster.receive(
      's1',
      's2',
      appendRequest({ previousIndex: 5, previousTerm: 2, entries: [command(6, 2, 'x')], commit: 6 }),
    )
    expect(cluster.applied.get('s1')).toEqual(['snapshot 5', 'x'])
    expect(cluster.mailOf('append-response')).toMatchObject([{ success: true, index: 6 }])
  })

  it('keeps a log that holds the very entry, tail and all, and learns that it is committed', () => {
    const cluster = follower({ terms: [1, 1, 2, 2, 2, 2, 2], term: 2 })
    cluster.receive('s1', 's2', chunk())
    const effects = stored(cluster, meta(5, 2))
    expect(find(effects, 'install-snapshot')).toBeUndefined()
    expect(cluster.raft('s1').log.lastIndex).toBe(7)
    expect(cluster.raft('s1')).toMatchObject({ commit: 5, applied: 5, snapshot: { index: 5 } })
    expect(cluster.applied.get('s1')).toHaveLength(5)
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ installed: true }])
  })

  it('ignores one that is older than what it has committed, at the first piece and at the last, and says it has all', () => {
    const cluster = follower({ terms: [1, 2, 2, 2, 2, 2] })
    cluster.receive('s1', 's2', chunk())
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 6, previousTerm: 2, commit: 6 }))
    cluster.mail()
    expect(find(stored(cluster, meta(5, 2)), 'install-snapshot')).toBeUndefined()
    expect(find(cluster.receive('s1', 's2', chunk()), 'store-chunk')).toBeUndefined()
    expect(cluster.raft('s1')).toMatchObject({ commit: 6, log: { lastIndex: 6 } })
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ installed: true }, { installed: true }])
  })

  it('takes one that ends with the very next entry after what it has committed', () => {
    const cluster = follower({ terms: [1, 2, 2, 2] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 4, previousTerm: 2, commit: 4 }))
    cluster.mail()
    expect(find(cluster.receive('s1', 's2', chunk()), 'store-chunk')).toMatchObject({ from: 's2' })
    expect(cluster.mailOf('snapshot-response')).toEqual([])
  })

  it('says that it is installed only after what was being written before', () => {
    const cluster = follower({ terms: [1, 2, 2], term: 2 })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 2 }))
    cluster.slowDisks.add('s1')
    cluster.receive(
      's1',
      's2',
      appendRequest({ previousIndex: 3, previousTerm: 2, entries: [command(4, 2)], commit: 4 }),
    )
    cluster.mail()
    cluster.receive('s1', 's2', chunk({ meta: meta(4, 2) }))
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ index: 4, installed: true }])
  })

  it('brings its configuration; persists that finish later do not vouch for the log that is gone', () => {
    const cluster = follower({ terms: [1, 1] })
    cluster.slowDisks.add('s1')
    cluster.receive(
      's1',
      's2',
      appendRequest({ previousIndex: 2, previousTerm: 1, entries: [3, 4, 5, 6, 7].map((i) => command(i, 1)) }),
    )
    const larger = members([...trio, 's4'])
    cluster.receive('s1', 's2', chunk())
    const effects = stored(cluster, meta(5, 2, { configuration: larger, configurationIndex: logIndexOf(4) }))
    expect(find(effects, 'configuration-changed')).toMatchObject({ configuration: larger, index: 4, committed: true })
    cluster.sync('s1')
    expect(cluster.raft('s1').durability.index).toBe(5)
    expect(cluster.raft('s1').configurations.latest).toEqual({ configuration: larger, index: 4 })
  })

  it('is answered with the newer term when its sender is deposed', () => {
    const cluster = follower({ terms: [1, 3] })
    expect(find(cluster.receive('s1', 's2', chunk()), 'store-chunk')).toBeUndefined()
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ term: 3, installed: false }])
  })

  it('goes into use though its sender was deposed meanwhile: what it stands for is committed', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', chunk())
    cluster.receive('s1', 's3', appendRequest({ term: 3 }))
    cluster.mail()
    expect(find(stored(cluster, meta(5, 2)), 'install-snapshot')).toBeDefined()
    expect(cluster.mail()).toEqual([])
  })

  it.each([
    ['no index', { meta: meta(0, 0) }],
    ['a term that is to come', { meta: meta(5, 3) }],
    ['a configuration from after it', { meta: meta(5, 2, { configurationIndex: logIndexOf(6) }) }],
    ['a configuration that is none', { meta: meta(5, 2, { configuration: { servers: [{} as never] } }) }],
    ['bytes beyond its end', { offset: 6 }],
    ['an offset that is none', { offset: -1 }],
  ])('with %s is ignored', (_, over) => {
    const cluster = follower()
    expect(cluster.receive('s1', 's2', chunk(over))).toMatchObject([{ kind: 'note', level: 'warn' }])
  })
})

describe('starting from a snapshot and a log', () => {
  const restarted = (entries: Past['entries'], snapshot = meta(3, 2)) =>
    follower({ snapshot, entries: entries ?? [], term: 2 }).raft('s1')

  it('begins after the snapshot, and applies nothing that it covers', () => {
    expect(restarted([])).toMatchObject({ commit: 3, applied: 3, log: { baseIndex: 3, lastIndex: 3, lastTerm: 2 } })
  })

  it('keeps what lies within the snapshot for followers, and what follows it', () => {
    const raft = restarted([command(2, 1), command(3, 2), command(4, 2), command(5, 2)])
    expect(raft.log).toMatchObject({ baseIndex: 2, lastIndex: 5 })
    expect([2, 3, 4].map((index) => raft.log.termAt(logIndexOf(index)))).toEqual([1, 2, 2])
  })

  it('drops a log whose entry at the snapshot is another: the server stopped while it was being replaced', () => {
    const raft = restarted([command(2, 1), command(3, 1), command(4, 1)])
    expect(raft.log).toMatchObject({ baseIndex: 3, lastIndex: 3, lastTerm: 2 })
  })

  it('drops a log that ends before the snapshot', () => {
    expect(restarted([command(1, 1), command(2, 1)]).log).toMatchObject({ baseIndex: 3, lastIndex: 3 })
  })

  it('goes by the latest configuration, in the snapshot or after it', () => {
    const four = members([...trio, 's4'])
    expect(restarted([]).configurations.latest).toEqual({ configuration, index: 1 })
    expect(restarted([configurationEntry(3, 2, four), command(4, 2)]).configurations.latest.index).toBe(1)
    expect(restarted([command(3, 2), configurationEntry(4, 2, four)]).configurations.latest).toEqual({
      configuration: four,
      index: 4,
    })
  })

  it('refuses what no server can have been', () => {
    expect(() => restarted([command(5, 2)])).toThrow('no gap')
    expect(() => restarted([command(4, 2), command(6, 2)])).toThrow('follow each other')
    expect(() => restarted([command(4, 9)])).toThrow('no entry is newer than the term')
    expect(() => restarted([command(3, 2), { ...command(4, 2), kind: 'configuration' }])).toThrow('can be read')
  })
})

describe('a follower far behind, from end to end', () => {
  it('gets the snapshot in pieces, then the rest of the log', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    cluster.cuts.add('s3')
    cluster.propose('s1', 'a', 'b', 'c')
    cluster.deliver()
    const taken = snapshotMetaAt(cluster.raft('s1'), logIndexOf(4))
    cluster.step('s1', { kind: 'snapshot-taken', meta: taken, sizeBytes: 10, keepFrom: 5 })
    cluster.cuts.clear()
    const state = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    const aside: number[] = []
    cluster.effects.length = 0
    for (let i = 0; i < 20; i++) {
      cluster.fire('s1', 'heartbeat')
      cluster.deliver()
      for (const effect of cluster.effects.splice(0)) {
        if (effect.kind === 'read-chunk') {
          const { to, meta: what, offset, length } = effect
          const bytes = state.slice(offset, offset + length)
          cluster.step('s1', { kind: 'chunk-read', to, meta: what, offset, bytes, sizeBytes: 10 })
        }
        if (effect.kind === 'store-chunk') {
          const { from, chunk: piece } = effect
          expect(piece.offset).toBe(aside.length)
          aside.push(...piece.bytes)
          const done = { nextOffset: aside.length, complete: aside.length === 10, round: piece.round }
          cluster.step('s3', { kind: 'chunk-stored', from, term: piece.term, meta: piece.meta, ...done })
        }
      }
    }
    expect(aside).toEqual([...state])
    expect(cluster.applied.get('s3')).toEqual(['snapshot 4', 'c'])
  })
})
