import { describe, expect, it } from 'vitest'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { SnapshotChunk, SnapshotResponse } from '../../../src/raft/core/messages.ts'
import { snapshotMetaAt } from '../../../src/raft/core/snapshot.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import {
  appendRequest,
  appendResponse,
  Cluster,
  command,
  configurationEntry,
  find,
  leaderAlone,
  members,
  type Past,
  voteRequest,
} from './cluster.ts'

const trio = ['s1', 's2', 's3']
const configuration = members(trio)

function meta(index: number, term: number, over: Partial<SnapshotMeta> = {}): SnapshotMeta {
  return { index: logIndexOf(index), term: termOf(term), configuration, configurationIndex: logIndexOf(1), ...over }
}

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

function response(over: Partial<SnapshotResponse> = {}): SnapshotResponse {
  return {
    kind: 'snapshot-response',
    term: termOf(2),
    index: logIndexOf(6),
    nextOffset: 4,
    installed: false,
    round: 1,
    ...over,
  }
}

function follower(past: Past = {}): Cluster {
  return new Cluster({ voters: trio, running: ['s1'], past: { s1: past } })
}

function stored(cluster: Cluster, what: SnapshotMeta, complete = true): readonly RaftEffect[] {
  return cluster.step('s1', { kind: 'chunk-stored', from: 's2', meta: what, nextOffset: 8, complete, round: 1 })
}

/** A leader whose log is cut up to 6, and whose follower s3 has nothing. */
function leaderWithSnapshot(): Cluster {
  const cluster = leaderAlone({}, ['s2'])
  cluster.propose('s1', 'a', 'b', 'c', 'd')
  cluster.receive('s1', 's2', appendResponse({ index: 6 }))
  const taken = snapshotMetaAt(cluster.raft('s1'), logIndexOf(6))
  cluster.step('s1', { kind: 'snapshot-taken', meta: taken, sizeBytes: 10, keepFrom: 7 })
  cluster.mail()
  return cluster
}

function read(cluster: Cluster, offset: number, bytes: Uint8Array | undefined, index = 6): readonly RaftEffect[] {
  const { configuration, configurationIndex } = snapshotMetaAt(cluster.raft('s1'), logIndexOf(6))
  const what = { index, term: 2, configuration, configurationIndex }
  return cluster.step('s1', { kind: 'chunk-read', to: 's3', meta: what, offset, bytes, sizeBytes: 10 })
}

describe('taking a snapshot', () => {
  it('says what it stands for: index, term, and the configuration as of then, not the latest', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.step('s1', { kind: 'change-requested', requestId: 1, change: { kind: 'remove', id: 's3' } })
    cluster.receive('s1', 's2', appendResponse({ index: 4 }))
    expect(snapshotMetaAt(cluster.raft('s1'), logIndexOf(3))).toEqual(meta(3, 2))
    expect(snapshotMetaAt(cluster.raft('s1'), logIndexOf(4))).toEqual({
      index: 4,
      term: 2,
      configuration: members(['s1', 's2']),
      configurationIndex: 4,
    })
  })

  it('lets the log before it go, but for what the driver wants kept', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a', 'b', 'c')
    cluster.receive('s1', 's2', appendResponse({ index: 5 }))
    const taken = snapshotMetaAt(cluster.raft('s1'), logIndexOf(4))
    const effects = cluster.step('s1', { kind: 'snapshot-taken', meta: taken, sizeBytes: 1, keepFrom: 4 })
    expect(effects).toEqual([{ kind: 'compact', keepFrom: 4 }])
    expect(cluster.raft('s1').log).toMatchObject({ baseIndex: 3, lastIndex: 5 })
    expect(cluster.raft('s1').log.termAt(logIndexOf(3))).toBe(2)
  })

  it('never cuts beyond the snapshot, and an older one changes nothing', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a', 'b', 'c')
    cluster.receive('s1', 's2', appendResponse({ index: 5 }))
    const [older, newer] = [3, 4].map((index) => snapshotMetaAt(cluster.raft('s1'), logIndexOf(index))) as [
      SnapshotMeta,
      SnapshotMeta,
    ]
    expect(cluster.step('s1', { kind: 'snapshot-taken', meta: newer, sizeBytes: 1, keepFrom: 99 })).toEqual([
      { kind: 'compact', keepFrom: 5 },
    ])
    expect(cluster.step('s1', { kind: 'snapshot-taken', meta: older, sizeBytes: 1, keepFrom: 1 })).toEqual([])
  })

  it('is of what was applied, or it is a bug', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    expect(() => snapshotMetaAt(cluster.raft('s1'), logIndexOf(3))).toThrow('a snapshot is of what was applied')
    const early = { kind: 'snapshot-taken', meta: meta(3, 2), sizeBytes: 1, keepFrom: 1 } as const
    expect(() => cluster.step('s1', early)).toThrow('a snapshot is of what was applied')
  })
})

describe('sending a snapshot (paper 7)', () => {
  it('to a follower that needs what is cut: piece by piece, each after the answer to the one before', () => {
    const cluster = leaderWithSnapshot()
    const effects = cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    expect(find(effects, 'read-chunk')).toMatchObject({ to: 's3', meta: { index: 6 }, offset: 0, length: 4 })
    read(cluster, 0, new Uint8Array(4))
    expect(cluster.mail()).toMatchObject([{ to: 's3', message: { kind: 'snapshot-chunk', offset: 0, sizeBytes: 10 } }])
    const next = cluster.receive('s1', 's3', response({ nextOffset: 4 }))
    expect(find(next, 'read-chunk')).toMatchObject({ offset: 4 })
  })

  it('resumes from where the follower has it', () => {
    const cluster = leaderWithSnapshot()
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    read(cluster, 0, new Uint8Array(4))
    const next = cluster.receive('s1', 's3', response({ nextOffset: 8 }))
    expect(find(next, 'read-chunk')).toMatchObject({ offset: 8 })
  })

  it('a repeated or senseless answer asks for nothing', () => {
    const cluster = leaderWithSnapshot()
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    read(cluster, 0, new Uint8Array(4))
    cluster.receive('s1', 's3', response({ nextOffset: 4 }))
    expect(cluster.receive('s1', 's3', response({ nextOffset: 4 }))).toEqual([])
    read(cluster, 4, new Uint8Array(4))
    expect(cluster.receive('s1', 's3', response({ nextOffset: 4 }))).toEqual([])
    expect(cluster.receive('s1', 's3', response({ nextOffset: 11 }))).toEqual([])
    expect(cluster.receive('s1', 's3', response({ nextOffset: 8, index: logIndexOf(5) }))).toEqual([])
    expect(cluster.receive('s1', 's3', response({ nextOffset: -1 }))).toEqual([])
  })

  it('goes on with the log once it is installed', () => {
    const cluster = leaderWithSnapshot()
    cluster.propose('s1', 'e')
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    read(cluster, 0, new Uint8Array(4))
    cluster.mail()
    cluster.receive('s1', 's3', response({ installed: true, nextOffset: 10 }))
    expect(cluster.mailOf('append-request')).toMatchObject([
      { to: 's3', previousIndex: 6, previousTerm: 2, entries: [{ index: 7 }] },
    ])
    expect(cluster.raft('s1').role).toMatchObject({ kind: 'leader' })
  })

  it('heartbeats go on meanwhile, and verify no more than the empty log', () => {
    const cluster = leaderWithSnapshot()
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    cluster.fire('s1', 'heartbeat')
    cluster.mail()
    cluster.fire('s1', 'heartbeat')
    const heartbeat = cluster.mailOf('append-request').find(({ to }) => to === 's3')
    expect(heartbeat).toMatchObject({ previousIndex: 0, previousTerm: 0, entries: [] })
    expect(cluster.receive('s1', 's3', appendResponse({ index: 0, round: 3 }))).toEqual([])
  })

  it('a chunk that stays unanswered is sent again, after some heartbeats', () => {
    const cluster = leaderWithSnapshot()
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    read(cluster, 0, new Uint8Array(4))
    const again = Array.from({ length: 10 }, () => find(cluster.fire('s1', 'heartbeat'), 'read-chunk'))
    expect(again.map((effect) => effect?.offset)).toEqual([...Array.from({ length: 9 }, () => undefined), 0])
  })

  it('begins anew with the newer snapshot that took its place', () => {
    const cluster = leaderWithSnapshot()
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    cluster.propose('s1', 'e')
    cluster.receive('s1', 's2', appendResponse({ index: 7 }))
    const newer = snapshotMetaAt(cluster.raft('s1'), logIndexOf(7))
    const effects = read(cluster, 0, undefined)
    expect(find(effects, 'read-chunk')).toBeUndefined()
    cluster.step('s1', { kind: 'snapshot-taken', meta: newer, sizeBytes: 3, keepFrom: 8 })
    const retried = Array.from({ length: 10 }, () => find(cluster.fire('s1', 'heartbeat'), 'read-chunk'))
    expect(retried.at(-1)).toMatchObject({ meta: { index: 6 } })
    const gone = cluster.step('s1', {
      kind: 'chunk-read',
      to: 's3',
      meta: meta(6, 2),
      offset: 0,
      bytes: undefined,
      sizeBytes: 0,
    })
    expect(find(gone, 'read-chunk')).toMatchObject({ meta: { index: 7 }, offset: 0 })
  })

  it('a heartbeat notices that the log was cut beyond a silent follower', () => {
    const cluster = leaderWithSnapshot()
    cluster.fire('s1', 'heartbeat')
    const effects = cluster.fire('s1', 'heartbeat')
    expect(find(effects, 'read-chunk')).toMatchObject({ to: 's3', meta: { index: 6 } })
  })

  it('a piece that comes when nobody wants it any more is dropped', () => {
    const cluster = leaderWithSnapshot()
    expect(read(cluster, 0, new Uint8Array(4))).toEqual([])
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    expect(read(cluster, 4, new Uint8Array(4))).toEqual([])
    cluster.receive('s1', 's2', appendRequest({ term: 3 }))
    expect(read(cluster, 0, new Uint8Array(4))).toEqual([])
  })
})

describe('receiving a snapshot (paper 7; hashicorp/raft#704)', () => {
  it('each piece is written aside, and the next is asked for', () => {
    const cluster = follower()
    const effects = cluster.receive('s1', 's2', chunk())
    expect(find(effects, 'store-chunk')).toMatchObject({ from: 's2', chunk: { offset: 0 } })
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
    cluster.step('s1', { kind: 'chunk-stored', from: 's2', meta: meta(5, 2), nextOffset: 4, complete: false, round: 1 })
    expect(cluster.mailOf('snapshot-response')).toMatchObject([{ to: 's2', index: 5, nextOffset: 4, installed: false }])
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
          cluster.step('s3', { kind: 'chunk-stored', from, meta: piece.meta, ...done })
        }
      }
    }
    expect(aside).toEqual([...state])
    expect(cluster.applied.get('s3')).toEqual(['snapshot 4', 'c'])
  })
})
