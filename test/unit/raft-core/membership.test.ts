import { describe, expect, it } from 'vitest'
import {
  bootstrapped,
  changed,
  decodeConfiguration,
  encodeConfiguration,
} from '../../../src/raft/core/configuration.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { ConfigurationChange } from '../../../src/raft/core/types.ts'
import { appendRequest, appendResponse, Cluster, configurationEntry, find, leaderAlone, members } from './cluster.ts'

const trio = ['s1', 's2', 's3']

function change(cluster: Cluster, id: string, wanted: ConfigurationChange): readonly RaftEffect[] {
  return cluster.step(id, { kind: 'change-requested', requestId: 1, change: wanted })
}

function refusal(effects: readonly RaftEffect[]): unknown {
  return find(effects, 'refused')?.refusal
}

const add = (id: string): ConfigurationChange => ({ kind: 'add-voter', id, address: `${id}:8300` })
const addNonvoter = (id: string): ConfigurationChange => ({ kind: 'add-nonvoter', id, address: `${id}:8300` })

describe('changing members, one at a time (thesis 4.1)', () => {
  it.each<[string, ConfigurationChange, ReturnType<typeof members>]>([
    ['adds a voter', add('s4'), members([...trio, 's4'])],
    ['adds a non-voter', addNonvoter('s4'), members(trio, ['s4'])],
    ['demotes a voter', { kind: 'demote', id: 's3' }, members(['s1', 's2'], ['s3'])],
    ['removes a voter', { kind: 'remove', id: 's2' }, members(['s1', 's3'])],
  ])('%s', (_, wanted, expected) => {
    const after = changed(members(trio), wanted)
    expect(after).toEqual({ ok: true, value: expected })
  })

  it('promotes a non-voter, and takes a new address', () => {
    expect(changed(members(trio, ['s4']), add('s4'))).toEqual({ ok: true, value: members([...trio, 's4']) })
    const moved = changed(members(trio), { kind: 'add-voter', id: 's3', address: 'elsewhere:8300' })
    expect(moved.ok && moved.value.servers[2]).toEqual({ id: 's3', address: 'elsewhere:8300', suffrage: 'voter' })
  })

  it.each<[string, ConfigurationChange, object]>([
    ['to remove an unknown server', { kind: 'remove', id: 's9' }, { kind: 'unknown-server', id: 's9' }],
    ['to demote an unknown server', { kind: 'demote', id: 's9' }, { kind: 'unknown-server', id: 's9' }],
    ['to make a voter a non-voter by adding it', addNonvoter('s3'), { kind: 'invalid-change' }],
    [
      'two servers at one address',
      { ...add('s4'), address: 's1:8300' } as ConfigurationChange,
      { kind: 'invalid-change' },
    ],
    ['a server without address', { ...add('s4'), address: '' } as ConfigurationChange, { kind: 'invalid-change' }],
    ['a server without ID', add(''), { kind: 'invalid-change' }],
  ])('refuses %s', (_, wanted, expected) => {
    expect(changed(members(trio), wanted)).toMatchObject({ ok: false, error: expected })
  })

  it.each<ConfigurationChange>([
    { kind: 'remove', id: 's1' },
    { kind: 'demote', id: 's1' },
  ])('refuses to leave no voter: $kind', (wanted) => {
    expect(changed(members(['s1'], ['s2']), wanted)).toMatchObject({ ok: false, error: { kind: 'invalid-change' } })
  })

  it('refuses more servers than it could keep', () => {
    const many = members(Array.from({ length: 255 }, (_, i) => `s${i}`))
    expect(changed(many, add('one-more'))).toMatchObject({ ok: false, error: { kind: 'invalid-change' } })
  })

  it('goes by the new configuration at once, and commits it by its majority', () => {
    const cluster = leaderAlone()
    const effects = change(cluster, 's1', add('s4'))
    expect(find(effects, 'accepted')).toMatchObject({ requestId: 1, index: 3 })
    expect(find(effects, 'configuration-changed')).toMatchObject({ index: 3, committed: false })
    expect(cluster.mail().map(({ to }) => to)).toEqual(['s2', 's3', 's4'])
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    // Two of four.
    expect(cluster.raft('s1').commit).toBe(2)
    const committed = cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(find(committed, 'configuration-changed')).toMatchObject({ index: 3, committed: true })
  })

  it('a second change waits for the first to be committed', () => {
    const cluster = leaderAlone()
    change(cluster, 's1', add('s4'))
    expect(refusal(change(cluster, 's1', add('s5')))).toEqual({ kind: 'change-in-progress' })
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(refusal(change(cluster, 's1', add('s5')))).toBeUndefined()
  })

  it('no change before an entry of the own term is committed (raft-dev, 2015)', () => {
    const cluster = leaderAlone({}, [])
    expect(refusal(change(cluster, 's1', add('s4')))).toEqual({ kind: 'change-in-progress' })
    cluster.receive('s1', 's2', appendResponse({ index: 2 }))
    expect(refusal(change(cluster, 's1', add('s4')))).toBeUndefined()
  })

  it('refuses on a server that does not lead, and a change that cannot be', () => {
    const cluster = leaderAlone()
    expect(refusal(change(cluster, 's1', { kind: 'remove', id: 's9' }))).toEqual({ kind: 'unknown-server', id: 's9' })
    cluster.receive('s1', 's2', appendRequest({ term: 3 }))
    expect(refusal(change(cluster, 's1', add('s4')))).toEqual({ kind: 'not-leader', leader: 's2' })
  })
})

describe('the story of 2015: two leaders, each with a change of its own', () => {
  it('the second leader’s first entry makes the first one’s change impossible', () => {
    const four = ['s1', 's2', 's3', 's4']
    const cluster = new Cluster({ voters: four, running: [...four, 's5'], past: { s5: { entries: [], term: 0 } } })
    cluster.elect('s1')
    // S1 adds S5, reaches no other server, and is cut off.
    for (const id of ['s2', 's3', 's4']) cluster.cuts.add(id)
    change(cluster, 's1', add('s5'))
    cluster.deliver()
    expect(cluster.raft('s5').configurations.latest.index).toBe(3)
    cluster.cuts.clear()
    cluster.cuts.add('s1')
    cluster.cuts.add('s5')
    // S2 leads, and may remove S1 only after its no-op is committed: by a majority of the old four.
    cluster.elect('s2')
    expect(refusal(change(cluster, 's2', { kind: 'remove', id: 's1' }))).toBeUndefined()
    cluster.deliver()
    expect(cluster.raft('s2').commit).toBe(4)
    // S1 comes back with S5 and S4, three of its five: S4 has the committed entries and refuses.
    cluster.cuts.clear()
    for (const id of ['s2', 's3']) cluster.cuts.add(id)
    cluster.nowMs += 3000
    cluster.fire('s1', 'quorum')
    cluster.nowMs += 3000
    cluster.fire('s1', 'election')
    cluster.deliver()
    expect(cluster.raft('s1')).toMatchObject({ role: { kind: 'follower' }, term: 3 })
    cluster.nowMs += 3000
    cluster.fire('s1', 'election')
    cluster.deliver()
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
  })
})

describe('non-voters', () => {
  it('get every entry, and count for nothing', () => {
    const cluster = leaderAlone({ nonvoters: ['s4', 's5'] }, ['s2', 's3', 's4', 's5'])
    cluster.propose('s1', 'a')
    expect(new Set(cluster.mail().map(({ to }) => to))).toEqual(new Set(['s2', 's3', 's4', 's5']))
    for (const id of ['s4', 's5']) cluster.receive('s1', id, appendResponse({ index: 3 }))
    expect(cluster.raft('s1').commit).toBe(2)
  })

  it('a new one is caught up from nothing', () => {
    const cluster = new Cluster({ voters: ['s1'], running: ['s1', 's4'], past: { s4: { entries: [], term: 0 } } })
    cluster.elect('s1')
    cluster.propose('s1', 'a', 'b', 'c', 'd', 'e', 'f', 'g')
    change(cluster, 's1', addNonvoter('s4'))
    cluster.deliver()
    expect(cluster.applied.get('s4')).toEqual(cluster.applied.get('s1'))
    change(cluster, 's1', add('s4'))
    cluster.deliver()
    expect(cluster.raft('s4').configurations.latest.configuration).toEqual(members(['s1', 's4']))
  })
})

describe('leaving', () => {
  it('a removed server is served until its removal is committed, told so, and does not stand any more', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    change(cluster, 's1', { kind: 'remove', id: 's3' })
    cluster.deliver()
    expect(cluster.raft('s3')).toMatchObject({ commit: 3 })
    expect(cluster.raft('s1').role).toMatchObject({ progress: new Map([['s2', expect.anything()]]) })
    cluster.nowMs += 3000
    cluster.fire('s3', 'election')
    expect(cluster.mail()).toEqual([])
    expect(cluster.raft('s3').role.kind).toBe('follower')
  })

  it('what a server acknowledged before it was removed does not count once it is added again, perhaps without its disk', () => {
    const cluster = leaderAlone()
    change(cluster, 's1', { kind: 'remove', id: 's3' })
    cluster.propose('s1', 'sent to s3, too')
    const late = cluster.mailOf('append-request').findLast(({ to }) => to === 's3')
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    expect(cluster.raft('s1').commit).toBe(3)
    change(cluster, 's1', add('s3'))
    cluster.receive('s1', 's3', appendResponse({ index: 4, round: late?.round ?? 0 }))
    expect(cluster.raft('s1').commit).toBe(3)
    const [again] = cluster
      .mailOf('append-request')
      .filter(({ to }) => to === 's3')
      .slice(-1)
    cluster.receive('s1', 's3', appendResponse({ index: 5, round: again?.round ?? 0 }))
    expect(cluster.raft('s1').commit).toBe(5)
  })

  it('a leader that removes itself manages without its own copy, and steps down once it is committed', () => {
    const cluster = leaderAlone()
    change(cluster, 's1', { kind: 'remove', id: 's1' })
    expect(cluster.raft('s1').role.kind).toBe('leader')
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    // One of two: its own copy does not count.
    expect(cluster.raft('s1')).toMatchObject({ commit: 2, role: { kind: 'leader' } })
    cluster.mail()
    const effects = cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.raft('s1')).toMatchObject({ commit: 3, role: { kind: 'follower', leader: undefined } })
    expect(effects.some((e) => e.kind === 'send' && e.outgoing.message.kind === 'timeout-now')).toBe(true)
  })

  it('the others go on without a wait', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    change(cluster, 's1', { kind: 'demote', id: 's1' })
    cluster.deliver()
    expect(['s2', 's3'].filter((id) => cluster.raft(id).role.kind === 'leader')).toHaveLength(1)
    expect(cluster.raft('s1').role).toMatchObject({ kind: 'follower', leader: expect.stringMatching(/s[23]/) })
  })

  it('a new leader goes on serving a server whose removal it inherited', () => {
    const cluster = new Cluster({
      voters: trio,
      running: ['s1'],
      past: {
        s1: { entries: [configurationEntry(1, 1, members(trio)), configurationEntry(2, 1, members(['s1', 's2']))] },
      },
    })
    cluster.nowMs = 9000
    cluster.fire('s1', 'election')
    for (const pre of [true, false]) cluster.receive('s1', 's2', { kind: 'vote-response', pre, term: 2, granted: true })
    expect(cluster.mailOf('append-request').map(({ to }) => to)).toEqual(['s2', 's3'])
  })
})

describe('the configuration in an entry', () => {
  it('comes back as it went, the same bytes for the same servers', () => {
    const configuration = members(trio, ['s4'])
    const bytes = encodeConfiguration(configuration)
    expect(decodeConfiguration(bytes)).toEqual({ ok: true, value: configuration })
    expect([...encodeConfiguration(members(trio, ['s4']))]).toEqual([...bytes])
  })

  it.each([
    ['nothing', new Uint8Array(0)],
    ['no map', Uint8Array.of(5)],
    ['servers out of order', encodeConfiguration({ servers: members(trio).servers.toReversed() })],
    ['a server twice', encodeConfiguration({ servers: [...members(['s1']).servers, ...members(['s1']).servers] })],
    ['another suffrage', encodeConfiguration({ servers: [{ id: 'a', address: 'b', suffrage: 'king' as 'voter' }] })],
    [
      'an ID that is no text',
      encodeConfiguration({ servers: [{ id: 7 as unknown as string, address: 'b', suffrage: 'voter' }] }),
    ],
    ['cut short', encodeConfiguration(members(trio)).slice(0, 20)],
  ])('is refused when it is %s', (_, bytes) => {
    expect(decodeConfiguration(bytes).ok).toBe(false)
  })

  it('the first one gives servers the same log, in whatever order it is written down', () => {
    const a = bootstrapped(members(trio))
    const b = bootstrapped({ servers: members(trio).servers.toReversed() })
    expect(a).toEqual(b)
    expect(a.ok && a.value.hardState).toEqual({ term: 1, votedFor: undefined })
  })

  it.each([
    ['no voter', members([], ['s1'])],
    ['a server twice', { servers: [...members(['s1']).servers, ...members(['s1']).servers] }],
  ])('no cluster begins with %s', (_, configuration) => {
    expect(bootstrapped(configuration).ok).toBe(false)
  })
})
