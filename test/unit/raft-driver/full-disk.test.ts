import { describe, expect, it } from 'vitest'
import { type Options, SmallCluster } from './small-cluster.ts'

const three = ['a', 'b', 'c']

/** No write of the log finds room on this server, until what it returns is called. */
function fill(cluster: SmallCluster, id: string): () => void {
  const disk = cluster.diskOf(id)
  disk.fault = (operation) => (operation === 'write' ? 'full' : undefined)
  return () => {
    disk.fault = () => undefined
  }
}

describe('a full disk', () => {
  it('of a server alone: it refuses writes, tells those under way that their outcome is open, and answers reads', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'])
    await cluster.settled(cluster.propose('a', 'before'))
    const { raft, machine, fatal, env } = cluster.of('a')
    const makeRoom = fill(cluster, 'a')
    const underWay = await Promise.all(['one', 'two'].map((text) => cluster.settled(cluster.propose('a', text))))
    expect(underWay).toEqual([1, 2].map(() => ({ ok: false, error: { kind: 'disk-full', accepted: true } })))
    expect(raft.status().diskIsFull).toBe(true)
    const refused = { ok: false, error: { kind: 'disk-full', accepted: false } }
    expect(await cluster.settled(cluster.propose('a', 'three'))).toEqual(refused)
    expect(await cluster.settled(raft.changeConfiguration({ kind: 'add-nonvoter', id: 'b', address: 'b' }))).toEqual(
      refused,
    )
    await cluster.time.advance(60_000)
    expect(await cluster.settled(raft.readIndex())).toMatchObject({ ok: true })
    expect(await cluster.settled(raft.leaseRead())).toMatchObject({ ok: true })
    expect([machine.commands, fatal]).toEqual([['before'], []])
    makeRoom()
    await cluster.time.advance(1000)
    expect(machine.commands).toEqual(['before', 'one', 'two'])
    expect(raft.status().diskIsFull).toBe(false)
    expect(await cluster.settled(cluster.propose('a', 'after'))).toMatchObject({ ok: true })
    const told = env.lines.filter((line) => line.includes('space'))
    expect(told.map((line) => line.split(':')[0])).toEqual(['error raft', 'info raft'])
  })

  it('of a leader: another leads, and nothing that was under way is lost', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(three)
    const makeRoom = fill(cluster, old)
    const underWay = ['one', 'two'].map((text) => cluster.settled(cluster.propose(old, text)))
    const next = await cluster.until(() =>
      three.find((id) => id !== old && cluster.of(id).raft.status().role === 'leader'),
    )
    expect(await cluster.settled(cluster.propose(next, 'three'))).toMatchObject({ ok: true })
    expect(cluster.of(old).raft.status()).toMatchObject({ role: 'follower', leader: { id: next } })
    await Promise.all(underWay)
    await cluster.time.advance(5000)
    expect(cluster.of(next).raft.status().role).toBe('leader')
    makeRoom()
    await cluster.time.advance(2000)
    for (const id of three) expect(cluster.of(id).machine.commands).toEqual(['one', 'two', 'three'])
    expect(three.flatMap((id) => cluster.of(id).fatal)).toEqual([])
  })

  it('of a leader whose followers lag: it hands over as soon as one of them has everything', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(three)
    const makeRoom = fill(cluster, old)
    cluster.lost = (_from, _to, message) => message.kind === 'append-request' && message.entries.length > 0
    const underWay = cluster.settled(cluster.propose(old, 'one'))
    expect(await underWay).toEqual({ ok: false, error: { kind: 'disk-full', accepted: true } })
    await cluster.time.advance(2000)
    cluster.lost = () => false
    const next = await cluster.until(() =>
      three.find((id) => id !== old && cluster.of(id).raft.status().role === 'leader'),
    )
    expect(await cluster.settled(cluster.propose(next, 'two'))).toMatchObject({ ok: true })
    makeRoom()
    await cluster.time.advance(2000)
    for (const id of three) expect(cluster.of(id).machine.commands).toEqual(['one', 'two'])
  })

  it('of a leader without whose vote none can be elected: it stays, and hands over when another server is back', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(three)
    const [down] = three.filter((id) => id !== old) as [string]
    cluster.crash(down)
    await cluster.time.advance(1000)
    fill(cluster, old)
    const underWay = cluster.settled(cluster.propose(old, 'one'))
    expect(await underWay).toEqual({ ok: false, error: { kind: 'disk-full', accepted: true } })
    await cluster.time.advance(20_000)
    const { raft } = cluster.of(old)
    expect(raft.status().role).toBe('leader')
    expect(await cluster.settled(raft.readIndex())).toMatchObject({ ok: true })
    await cluster.start(down)
    const next = await cluster.until(() =>
      three.find((id) => id !== old && cluster.of(id).raft.status().role === 'leader'),
    )
    expect(await cluster.settled(cluster.propose(next, 'two'))).toMatchObject({ ok: true })
  })

  it('of a follower: it does not stand when it is told to, nor hold up the others, and catches up', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const [full, well] = three.filter((id) => id !== leader) as [string, string]
    const makeRoom = fill(cluster, full)
    for (const text of ['one', 'two']) {
      expect(await cluster.settled(cluster.propose(leader, text))).toMatchObject({ ok: true })
    }
    await cluster.time.advance(2000)
    const moved = cluster.of(leader).raft.transferLeadership(full)
    expect(await cluster.settled(moved)).toMatchObject({ ok: false, error: { kind: 'transfer-failed' } })
    expect(cluster.of(leader).raft.status().role).toBe('leader')
    makeRoom()
    await cluster.time.advance(2000)
    for (const id of [full, well]) expect(cluster.of(id).machine.commands).toEqual(['one', 'two'])
  })

  it('of a log, and a snapshot of a later term that finds room: the server starts from it, and has no damage', async () => {
    const options: Options = { snapshotThreshold: 5, snapshotIntervalMs: 100, trailingLogs: 2 }
    const cluster = new SmallCluster()
    const first = await cluster.form(three, options)
    const [late, second] = three.filter((id) => id !== first) as [string, string]
    const { term } = cluster.of(late).raft.status()
    cluster.crash(late)
    await cluster.settled(cluster.of(first).raft.transferLeadership(second))
    for (let i = 0; i < 30; i++) await cluster.settled(cluster.propose(second, `c${i}`))
    await cluster.time.advance(500)
    await cluster.start(late, options)
    const disk = cluster.diskOf(late)
    disk.fault = (operation, path) => (operation === 'write' && path.startsWith('/data/raft/log/') ? 'full' : undefined)
    await cluster.until(() => (disk.namesIn('/data/raft/snapshots').join().endsWith('.snapshot') ? true : undefined))
    await cluster.time.advance(100)
    cluster.crash(late, { below: () => 0 })
    const { raft, machine } = await cluster.start(late, options)
    expect(raft.status().snapshotIndex).toBeGreaterThan(20)
    expect(raft.status().term).toBeGreaterThan(term)
    await cluster.until(() => (machine.commands.length === 30 ? true : undefined))
    cluster.crash(late, { below: () => 0 })
    expect((await cluster.start(late, options)).raft.status().term).toBeGreaterThan(term)
  })

  it('of all: the leader stays, and reads go on', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const room = three.map((id) => fill(cluster, id))
    expect(await cluster.settled(cluster.propose(leader, 'one'))).toEqual({
      ok: false,
      error: { kind: 'disk-full', accepted: true },
    })
    await cluster.time.advance(20_000)
    expect(await cluster.settled(cluster.of(leader).raft.readIndex())).toMatchObject({ ok: true })
    for (const makeRoom of room) makeRoom()
    await cluster.time.advance(3000)
    const leading = await cluster.leader()
    expect(await cluster.settled(cluster.propose(leading, 'two'))).toMatchObject({ ok: true })
    await cluster.time.advance(2000)
    for (const id of three) expect(cluster.of(id).machine.commands).toEqual(['one', 'two'])
  })

  it('has no room for a snapshot: it is left out with a warning, and taken when there is some', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'], { snapshotThreshold: 5, snapshotIntervalMs: 1000, trailingLogs: 2 })
    const disk = cluster.diskOf('a')
    disk.fault = (operation, path) => (operation === 'write' && path.includes('snapshots') ? 'full' : undefined)
    for (let i = 0; i < 10; i++) await cluster.settled(cluster.propose('a', `c${i}`))
    await cluster.time.advance(5000)
    const { raft, env, fatal } = cluster.of('a')
    expect([raft.status().snapshotIndex, fatal, disk.namesIn('/data/raft/snapshots')]).toEqual([0, [], []])
    expect(env.lines.filter((line) => line.startsWith('warn') && line.includes('no space')).length).toBeGreaterThan(1)
    disk.fault = () => undefined
    await cluster.time.advance(2000)
    expect(raft.status().snapshotIndex).toBeGreaterThan(5)
  })
})
