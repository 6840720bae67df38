import { describe, expect, it } from 'vitest'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { SnapshotResponse } from '../../../src/raft/core/messages.ts'
import { snapshotMetaAt } from '../../../src/raft/core/snapshot.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import { appendRequest, appendResponse, type Cluster, find, leaderAlone, members } from './cluster.ts'
import { meta } from './trio.ts'

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

/** Up to where the log is cut at a snapshot at 8, when the one at 6 was begun to be sent to s3. */
function baseAfterAnother(from: { isSilent?: boolean; mayKeepFrom?: number; match?: number }): number {
  const { isSilent = false, mayKeepFrom, match } = from
  const cluster = leaderWithSnapshot()
  cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
  read(cluster, 0, new Uint8Array(4))
  if (match !== undefined) cluster.receive('s1', 's3', response({ installed: true, nextOffset: 10 }))
  cluster.propose('s1', 'e', 'f')
  if (match !== undefined) cluster.receive('s1', 's3', appendResponse({ index: match }))
  for (let i = 0; i < 20 && isSilent; i++) {
    cluster.nowMs += 50
    cluster.fire('s1', 'heartbeat')
  }
  cluster.receive('s1', 's2', appendResponse({ index: 8 }))
  const raft = cluster.raft('s1')
  const newer = { meta: snapshotMetaAt(raft, logIndexOf(8)), sizeBytes: 10, keepFrom: 9 }
  cluster.step('s1', { kind: 'snapshot-taken', ...newer, ...(mayKeepFrom !== undefined && { mayKeepFrom }) })
  return raft.log.baseIndex
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

  it('keeps the log for a follower that a snapshot brings up, while it answers and there is room', () => {
    expect(baseAfterAnother({ mayKeepFrom: 1 })).toBe(6)
    expect(baseAfterAnother({ mayKeepFrom: 8 })).toBe(7)
    expect(baseAfterAnother({})).toBe(8)
    expect(baseAfterAnother({ isSilent: true, mayKeepFrom: 1 })).toBe(8)
    expect(baseAfterAnother({ mayKeepFrom: 1, match: 7 })).toBe(8)
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

  it('continues with the log once it is installed', () => {
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
    expect(again.at(-1)?.isRepeated).toBe(true)
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

  it('a piece of the snapshot before is none of the one that is sent now', () => {
    const cluster = leaderWithSnapshot()
    const older = snapshotMetaAt(cluster.raft('s1'), logIndexOf(6))
    const piece = (of: SnapshotMeta) =>
      cluster.step('s1', { kind: 'chunk-read', to: 's3', meta: of, offset: 0, bytes: new Uint8Array(4), sizeBytes: 10 })
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    // While the disk reads, the follower turns out to have the snapshot, and then to need the next one.
    cluster.receive('s1', 's3', response({ installed: true, nextOffset: 10 }))
    cluster.propose('s1', 'e')
    cluster.receive('s1', 's2', appendResponse({ index: 7 }))
    const newer = snapshotMetaAt(cluster.raft('s1'), logIndexOf(7))
    cluster.step('s1', { kind: 'snapshot-taken', meta: newer, sizeBytes: 10, keepFrom: 8 })
    const refusal = appendResponse({ success: false, index: 6, hintTerm: 2, round: 1 })
    const effects = cluster.receive('s1', 's3', refusal)
    expect(find(effects, 'read-chunk')).toMatchObject({ meta: { index: 7 }, offset: 0 })
    cluster.mail()
    expect(piece(older)).toEqual([])
    expect(piece(newer)).toMatchObject([{ outgoing: { message: { kind: 'snapshot-chunk', meta: { index: 7 } } } }])
  })

  it('a piece that comes after the end of the transfer is dropped', () => {
    const cluster = leaderWithSnapshot()
    expect(read(cluster, 0, new Uint8Array(4))).toEqual([])
    cluster.receive('s1', 's3', appendResponse({ success: false, index: 1, hintTerm: 1 }))
    expect(read(cluster, 4, new Uint8Array(4))).toEqual([])
    cluster.receive('s1', 's2', appendRequest({ term: 3 }))
    expect(read(cluster, 0, new Uint8Array(4))).toEqual([])
  })
})
