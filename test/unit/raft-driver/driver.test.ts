import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { Draws, settle } from '../raft-log/fake-env.ts'
import { configurationOf, SmallCluster } from './small-cluster.ts'

const three = ['a', 'b', 'c']

describe('a server of one', () => {
  it.each([true, false])('forms, leads and answers (in memory: %s)', async (inMemory) => {
    const cluster = new SmallCluster({ inMemory })
    expect(await cluster.form(['a'])).toBe('a')
    const { raft, machine } = cluster.of('a')
    expect(await cluster.settled(cluster.propose('a', 'one'))).toMatchObject({ ok: true, value: { value: 'did one' } })
    expect(machine.commands).toEqual(['one'])
    expect(await cluster.settled(raft.readIndex())).toMatchObject({ ok: true })
    expect(raft.status()).toMatchObject({ role: 'leader', pendingProposals: 0, lastContactMs: 0 })
    expect(await raft.bootstrap(configurationOf(['a']))).toBe(false)
    await raft.stop()
    if (inMemory) expect(cluster.diskOf('a').counts.size).toBeLessThanOrEqual(1)
  })

  it('writes what is proposed in one turn with one sync', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'])
    const disk = cluster.diskOf('a')
    await cluster.time.advance(5000)
    const before = disk.counts.get('sync') ?? 0
    const all = Promise.all(Array.from({ length: 100 }, (_, i) => cluster.propose('a', `c${i}`)))
    const outcomes = await cluster.settled(all)
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true)
    expect((disk.counts.get('sync') ?? 0) - before).toBe(1)
    expect(cluster.of('a').machine.commands).toEqual(Array.from({ length: 100 }, (_, i) => `c${i}`))
  })

  it('comes back after a restart with all that was answered for', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'])
    for (let i = 0; i < 20; i++) await cluster.settled(cluster.propose('a', `c${i}`))
    const { term } = cluster.of('a').raft.status()
    cluster.crash('a', { below: () => 0 })
    await cluster.start('a')
    await cluster.leader()
    await cluster.until(() => (cluster.of('a').machine.commands.length === 20 ? true : undefined))
    expect(cluster.of('a').raft.status().term).toBeGreaterThan(term)
    expect(cluster.of('a').raft.hasState()).toBe(true)
  })

  it('leaves nothing behind when it is stopped, and refuses what is asked then', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'])
    const { raft, env } = cluster.of('a')
    const open = cluster.propose('a', 'last')
    await raft.stop()
    expect((await open).ok).toBe(false)
    expect(await raft.propose(utf8('late'))).toEqual({ ok: false, error: { kind: 'leadership-lost' } })
    expect(await raft.readIndex()).toEqual({ ok: false, error: { kind: 'leadership-lost' } })
    expect(env.time.pending).toBe(0)
  })

  it('stops when the state machine cannot go on, once, and says why', async () => {
    const cluster = new SmallCluster()
    await cluster.form(['a'])
    const { machine, fatal, env } = cluster.of('a')
    machine.poison = 'bad'
    expect(await cluster.settled(cluster.propose('a', 'bad'))).toMatchObject({ ok: false })
    expect(fatal.map((failure) => failure.message)).toEqual(['unknown command bad'])
    expect(env.lines.some((line) => line.startsWith('error raft:') && line.includes('unknown command bad'))).toBe(true)
    expect(env.time.pending).toBe(0)
  })

  it.each(['write', 'sync'] as const)('stops when a %s fails, tries none again, and says which', async (failing) => {
    const cluster = new SmallCluster()
    await cluster.form(['a'])
    const disk = cluster.diskOf('a')
    disk.fault = (operation) => (operation === failing ? 'io' : undefined)
    const before = disk.counts.get(failing) ?? 0
    expect(await cluster.settled(cluster.propose('a', 'one'))).toMatchObject({ ok: false })
    await cluster.time.advance(10_000)
    expect(disk.counts.get(failing)).toBe(before + 1)
    expect(cluster.of('a').fatal.map((failure) => failure.message)).toEqual([
      expect.stringContaining('raft log: /data/raft/log/0000000001.log: '),
    ])
  })
})

describe('three servers', () => {
  it('replicate what the leader is given', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    for (let i = 0; i < 10; i++) {
      expect(await cluster.settled(cluster.propose(leader, `c${i}`))).toMatchObject({ value: { value: `did c${i}` } })
    }
    await cluster.time.advance(500)
    for (const id of three) expect(cluster.of(id).machine.commands.length).toBe(10)
    const follower = three.find((id) => id !== leader) as string
    expect(await cluster.settled(cluster.propose(follower, 'x'))).toEqual({
      ok: false,
      error: { kind: 'not-leader', leader },
    })
    expect(cluster.of(follower).raft.status().leader).toEqual({ id: leader, address: `${leader}:8300` })
  })

  it('commit without the leader whose disk stands still', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const disk = cluster.diskOf(leader)
    let goOn: () => void = () => {}
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve
    })
    disk.stall = (operation) => (operation === 'sync' ? stalled : undefined)
    const before = disk.counts.get('sync') ?? 0
    for (let i = 0; i < 20; i++) {
      expect(await cluster.settled(cluster.propose(leader, `c${i}`))).toMatchObject({ value: { value: `did c${i}` } })
    }
    expect((disk.counts.get('sync') ?? 0) - before).toBe(1)
    goOn()
    await cluster.time.advance(100)
    expect((disk.counts.get('sync') ?? 0) - before).toBe(2)
    cluster.crash(leader, { below: () => 0 })
    const { machine } = await cluster.start(leader)
    await cluster.until(() => (machine.commands.length === 20 ? true : undefined))
  })

  it('share one append among what is proposed while the disk is busy', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const disk = cluster.diskOf(leader)
    let goOn: () => void = () => {}
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve
    })
    disk.stall = (operation) => (operation === 'sync' ? stalled : undefined)
    const first = cluster.propose(leader, 'first')
    await settle()
    const sentBefore = cluster.sent.length
    const others: Promise<unknown>[] = []
    for (let i = 0; i < 10; i++) {
      others.push(cluster.propose(leader, `c${i}`))
      await settle()
    }
    expect(cluster.sent.length).toBe(sentBefore)
    goOn()
    await cluster.settled(Promise.all([first, ...others]))
    const appends = cluster.sent.slice(sentBefore).flatMap(({ from, message }) => {
      return from === leader && message.kind === 'append-request' ? [message.entries.length] : []
    })
    expect(Math.max(...appends)).toBe(10)
  })

  it('tell proposals their fate over a change of leader', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(three)
    cluster.lost = (from, to) => from === old || to === old
    const orphans = Promise.all([cluster.propose(old, 'orphan 1'), cluster.propose(old, 'orphan 2')])
    const outcomes = await cluster.settled(orphans)
    expect(outcomes).toEqual([
      { ok: false, error: { kind: 'leadership-lost' } },
      { ok: false, error: { kind: 'leadership-lost' } },
    ])
    const next = await cluster.until(() => {
      return three.find((id) => id !== old && cluster.of(id).raft.status().role === 'leader')
    })
    expect((await cluster.settled(cluster.propose(next, 'kept'))).ok).toBe(true)
    cluster.lost = () => false
    await cluster.time.advance(5000)
    for (const id of three) expect(cluster.of(id).machine.commands).toEqual(['kept'])
    cluster.crash(old, { below: () => 0 })
    const { machine } = await cluster.start(old)
    await cluster.until(() => (machine.commands.length > 0 ? true : undefined))
    expect(machine.commands).toEqual(['kept'])
  })

  it('acknowledge nothing that their disks do not have', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    await cluster.time.advance(500)
    const follower = three.find((id) => id !== leader) as string
    let goOn: () => void = () => {}
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve
    })
    cluster.diskOf(follower).stall = (operation) => (operation === 'sync' ? stalled : undefined)
    const committed = await cluster.settled(cluster.propose(leader, 'one'))
    const index = committed.ok ? committed.value.index : Number.NaN
    const acknowledged = () =>
      cluster.sent.some(({ from, message }) => {
        return from === follower && message.kind === 'append-response' && message.success && message.index >= index
      })
    await cluster.time.advance(400)
    expect(acknowledged()).toBe(false)
    goOn()
    await cluster.time.advance(5)
    expect(acknowledged()).toBe(true)
  })

  it('ask for no vote in a term that their disks do not have, and give none', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    await cluster.time.advance(500)
    const others = three.filter((id) => id !== leader)
    let goOn: () => void = () => {}
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve
    })
    for (const id of others) cluster.diskOf(id).stall = (operation) => (operation === 'sync' ? stalled : undefined)
    const before = cluster.sent.length
    cluster.crash(leader)
    await cluster.time.advance(5000)
    const real = () => {
      return cluster.sent.slice(before).filter(({ message }) => {
        return (message.kind === 'vote-request' || message.kind === 'vote-response') && !message.pre
      }).length
    }
    expect(cluster.sent.length).toBeGreaterThan(before)
    expect(real()).toBe(0)
    goOn()
    await cluster.leader()
    expect(real()).toBeGreaterThan(0)
  })

  it('lose nothing that was acknowledged, whichever servers crash and however', { timeout: 60_000 }, async () => {
    for (let seed = 0; seed < 6; seed++) {
      const draws = new Draws(seed)
      const cluster = new SmallCluster()
      await cluster.form(three)
      const answered: string[] = []
      for (let round = 0; round < 6; round++) {
        const leader = await cluster.leader()
        const open: Promise<unknown>[] = []
        for (let i = 0; i < 8; i++) {
          const text = `${round}.${i}`
          open.push(
            cluster.propose(leader, text).then((outcome) => {
              if (outcome.ok) answered.push(text)
            }),
          )
        }
        await cluster.time.advance(draws.below(8))
        const victims = three.filter(() => draws.below(2) === 0)
        for (const id of victims) cluster.crash(id, draws)
        await cluster.time.advance(draws.below(2500))
        for (const id of victims) await cluster.start(id)
      }
      await cluster.settled(cluster.propose(await cluster.leader(), 'last'))
      await cluster.time.advance(2000)
      const lists = three.map((id) => cluster.of(id).machine.commands)
      expect(lists[1]).toEqual(lists[0])
      expect(lists[2]).toEqual(lists[0])
      expect(answered.length).toBeGreaterThan(8)
      for (const text of answered) expect(lists[0]).toContain(text)
    }
  })

  it('hand leadership on', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(three)
    const heir = three.find((id) => id !== old) as string
    expect(await cluster.settled(cluster.of(old).raft.transferLeadership(heir))).toEqual({ ok: true, value: undefined })
    expect(await cluster.leader()).toBe(heir)
  })

  it('have another leader long before the timeout when they have seen the process of theirs gone', async () => {
    const cluster = new SmallCluster()
    const old = await cluster.form(three, {
      timing: { heartbeatTimeoutMs: 5000, electionTimeoutMs: 5000, leaderLeaseMs: 2500 },
    })
    await cluster.settled(cluster.propose(old, 'kept'))
    const others = three.filter((id) => id !== old)
    cluster.crash(old)
    // Of another server's end they make nothing.
    for (const id of others) cluster.of(id).raft.leaderUnreachable(others.find((other) => other !== id) as string)
    await cluster.time.advance(1000)
    for (const id of others)
      expect(cluster.of(id).raft.status()).toMatchObject({ role: 'follower', leader: { id: old } })
    for (const id of others) cluster.of(id).raft.leaderUnreachable(old)
    await cluster.time.advance(500)
    const next = others.find((id) => cluster.of(id).raft.status().role === 'leader') as string
    expect(others).toContain(next)
    expect(await cluster.settled(cluster.propose(next, 'taken'))).toMatchObject({ ok: true })
    expect(cluster.of(next).machine.commands).toEqual(['kept', 'taken'])
  })

  it('take no notice of an end once they are stopped', async () => {
    const cluster = new SmallCluster()
    const leader = await cluster.form(three)
    const id = three.find((other) => other !== leader) as string
    await cluster.of(id).raft.stop()
    cluster.of(id).raft.leaderUnreachable(leader)
    expect(cluster.of(id).raft.status()).toMatchObject({ role: 'follower', leader: { id: leader } })
  })

  it('report each change of role to every listener, with a status that fits', async () => {
    const cluster = new SmallCluster()
    for (const id of three) await cluster.start(id)
    const seen: string[] = []
    cluster.of('a').raft.onRoleChange(({ role, leader }) => seen.push(`${role} ${leader?.id ?? ''}`))
    for (const id of three) {
      const formed = cluster.of(id).raft.bootstrap(configurationOf(three))
      await cluster.time.advance(0)
      await formed
    }
    const leader = await cluster.leader()
    expect(seen.at(-1)).toBe(`${leader === 'a' ? 'leader' : 'follower'} ${leader}`)
  })
})
