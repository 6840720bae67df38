import { expect, it } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { MemberChange, Pool } from '../../../src/gossip/pool.ts'
import { joined, stopAll } from './joined-pools.ts'
import { encrypted, open, statuses, until } from './pools.ts'
import { strangerLaws } from './stranger-laws.ts'
import type { GossipWorld, Law, RegisterLaw } from './worlds.ts'

/** What any Env's pools do. */
export function poolLaws(world: GossipWorld): void {
  const law = (title: string, body: Law): void => it(title, () => world.look(body))
  membershipLaws(law)
  newsLaws(law)
  departureLaws(law)
  strangerLaws(law)
}

function membershipLaws(law: RegisterLaw): void {
  law('a pool begins with its own agent alone', async ({ envs, hosts }) => {
    const pool = await open(envs[0], 'a', hosts[0], { role: 'server', id: 'x'.repeat(36) })
    expect(pool.members()).toEqual([pool.self()])
    expect(pool.self()).toMatchObject({ name: 'a', status: 'alive', tags: { role: 'server', id: 'x'.repeat(36) } })
    expect(pool.self().endpoint.port).toBeGreaterThan(0)
    expect(pool.stats()).toMatchObject({ members: 1, failed: 0, left: 0, healthScore: 0 })
    await pool.stop()
  })

  law('two pools that join are one, and each knows the tags of the other at once', async ({ envs, hosts }) => {
    const [a, b] = [await open(envs[0], 'a', hosts[0]), await open(envs[1], 'b', hosts[1])]
    expect(await b.join(a.self().endpoint)).toEqual({ ok: true, value: undefined })
    expect(statuses(b.members())).toBe('a alive, b alive')
    expect(b.members()[0]).toMatchObject({ endpoint: a.self().endpoint, tags: { role: 'a' } })
    await until(envs[0], a, (members) => statuses(members) === 'a alive, b alive')
    expect(a.members()[1]).toMatchObject({
      endpoint: b.self().endpoint,
      tags: { role: 'b' },
      versions: {
        protocolMin: 1,
        protocolMax: 5,
        protocolSpoken: 2,
        delegateMin: 2,
        delegateMax: 5,
        delegateSpoken: 4,
      },
    })
    await stopAll([a, b])
  })

  law('what one learns by a join, all learn', async (place) => {
    await stopAll(await joined(place, ['a', 'b', 'c', 'd']))
  })

  law('new tags reach the others, in one change', async (place) => {
    const pools = await joined(place, ['a', 'b', 'c'])
    const [a, b] = pools as [Pool, Pool]
    const seen: MemberChange[] = []
    a.onChange((changes) => seen.push(...changes))
    b.setTags({ role: 'b', more: 'm'.repeat(200) })
    expect(b.self().tags).toEqual({ role: 'b', more: 'm'.repeat(200) })
    await until(place.envs[0], a, (members) => members[1]?.tags['more'] !== undefined)
    expect(seen.map(({ kind, member }) => `${kind} ${member.name}`)).toEqual(['updated b'])
    await stopAll(pools)
  })

  law('tags longer than a member may say change nothing', async ({ envs, hosts }) => {
    const pool = await open(envs[0], 'a', hosts[0])
    pool.setTags({ role: 'x'.repeat(600) })
    expect(pool.self().tags).toEqual({ role: 'a' })
    await pool.stop()
  })
}

function newsLaws(law: RegisterLaw): void {
  law('a user event reaches every member once, whichever member fires it', async (place) => {
    const pools = await joined(place, ['a', 'b', 'c'])
    const heard = pools.map((pool, at) => {
      const env = place.envs[at] as Env
      const both = env.deferred<void>()
      const names: string[] = []
      pool.onEvent(({ name, payload }) => {
        names.push(`${name} ${payload.length}`)
        if (names.length === 2) both.resolve()
      })
      return { names, both: both.promise }
    })
    const [a, b] = pools as [Pool, Pool]
    expect(a.fireEvent('deploy', new Uint8Array(3))).toMatchObject({ ok: true })
    expect(b.fireEvent('deploy', new Uint8Array(4))).toMatchObject({ ok: true })
    for (const { names, both } of heard) {
      await both
      expect(names.toSorted()).toEqual(['deploy 3', 'deploy 4'])
    }
    expect(a.fireEvent('deploy', new Uint8Array(507))).toEqual({
      ok: false,
      error: 'user event exceeds limit of 512 bytes',
    })
    await stopAll(pools)
  })

  law('a query reaches the members that its filters select', async (place) => {
    const pools = await joined(place, ['a', 'b', 'c'])
    const [a] = pools as [Pool]
    const all = await a.query({ name: 'who', payload: new Uint8Array(0), relayFactor: 1, timeoutMs: 1_500 })
    expect(all.acks.toSorted()).toEqual(['a', 'b', 'c'])
    const filters = [{ kind: 'tag', tag: 'role', expression: '^[bc]$' } as const]
    const some = await a.query({ name: 'who', payload: new Uint8Array(0), filters, timeoutMs: 1_500 })
    expect(some).toEqual({ acks: expect.arrayContaining(['b', 'c']), answers: [] })
    expect(some.acks).toHaveLength(2)
    await stopAll(pools)
  })

  law('a pool changes its key while everybody goes on talking', async (place) => {
    const [old, fresh] = ['cg8StVXbQJ0gPvMd9o7yrg==', 'pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s=']
    const { envs, hosts } = place
    const a = await open(envs[0], 'a', hosts[0], {}, encrypted(old))
    const b = await open(envs[1], 'b', hosts[1], {}, encrypted(old))
    expect(await b.join(a.self().endpoint)).toMatchObject({ ok: true })
    await until(envs[0], a, (members) => statuses(members) === 'a alive, b alive')
    const done = { ok: true, value: { nodes: 2, answered: 2, errors: [], keys: [] } }
    expect(await a.keys({ action: 'install', key: fresh, relayFactor: 0 })).toEqual(done)
    expect(await b.keys({ action: 'use', key: fresh, relayFactor: 0 })).toEqual(done)
    expect(await a.keys({ action: 'list', relayFactor: 0 })).toMatchObject({
      value: {
        answered: 2,
        keys: [
          [old, 2],
          [fresh, 2],
        ],
      },
    })
    expect(await a.keys({ action: 'remove', key: fresh, relayFactor: 0 })).toMatchObject({
      value: {
        errors: [
          ['a', 'Removing the primary key is not allowed'],
          ['b', 'Removing the primary key is not allowed'],
        ],
      },
    })
    expect(await a.keys({ action: 'remove', key: old, relayFactor: 0 })).toEqual(done)
    const c = await open(envs[2], 'c', hosts[2], {}, encrypted(fresh))
    expect(await c.join(b.self().endpoint)).toMatchObject({ ok: true })
    await until(envs[0], a, (members) => statuses(members) === 'a alive, b alive, c alive')
    await stopAll([a, b, c])
  })

  law('a change of keys waits for a disk that is slower than gossip', async (place) => {
    const [old, fresh] = ['cg8StVXbQJ0gPvMd9o7yrg==', 'pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s=']
    const { envs, hosts } = place
    const stored: string[] = []
    const slow = encrypted(old)
    slow.encryption.keyring.storeBy(async (texts) => {
      const written = envs[1].deferred<void>()
      envs[1].timers.after(800, () => written.resolve())
      await written.promise
      stored.push(...texts)
      return { ok: true, value: undefined }
    })
    const a = await open(envs[0], 'a', hosts[0], {}, encrypted(old))
    const b = await open(envs[1], 'b', hosts[1], {}, slow)
    expect(await b.join(a.self().endpoint)).toMatchObject({ ok: true })
    await until(envs[0], a, (members) => statuses(members) === 'a alive, b alive')
    const done = { ok: true, value: { nodes: 2, answered: 2, errors: [], keys: [] } }
    expect(await a.keys({ action: 'install', key: fresh, relayFactor: 0 })).toEqual(done)
    expect(stored).toEqual([old, fresh])
    await stopAll([a, b])
  })

  law('of two agents with one name the pool keeps the one that it knows', async (place) => {
    const { envs, hosts } = place
    const pools = await joined(place, ['a', 'b', 'twin'])
    const lost = envs[3].deferred<Endpoint>()
    const second = await open(envs[3], 'twin', hosts[3], {}, { onNameLost: (holder) => lost.resolve(holder) })
    const [a, , twin] = pools as [Pool, Pool, Pool]
    await second.join(a.self().endpoint)
    expect(await lost.promise).toEqual(twin.self().endpoint)
    expect(a.members()[2]).toMatchObject({ name: 'twin', endpoint: twin.self().endpoint })
    await stopAll([...pools, second])
  })
}

function departureLaws(law: RegisterLaw): void {
  law('one that leaves has left for the others, and stays to see it', async (place) => {
    const pools = await joined(place, ['a', 'b', 'c'])
    const [a, b, c] = pools as [Pool, Pool, Pool]
    await b.leave()
    await until(place.envs[0], a, (members) => statuses(members) === 'a alive, b left, c alive')
    await until(place.envs[2], c, (members) => statuses(members) === 'a alive, b left, c alive')
    expect(b.self().status).toBe('left')
    await stopAll(pools)
  })

  law('one that falls silent has failed, and is alive again when it comes back', async (place) => {
    const pools = await joined(place, ['a', 'b', 'c'])
    const [a, b, c] = pools as [Pool, Pool, Pool]
    const at = b.self().endpoint
    await b.stop()
    await until(place.envs[0], a, (members) => statuses(members) === 'a alive, b failed, c alive')
    await until(place.envs[2], c, (members) => statuses(members) === 'a alive, b failed, c alive')
    expect(a.stats()).toMatchObject({ members: 3, failed: 1, left: 0 })
    const again = await open(place.envs[1], 'b', at, { role: 'b', life: '2' })
    await until(place.envs[0], a, (members) => members[1]?.status === 'alive' && members[1].tags['life'] === '2')
    await until(place.envs[2], c, (members) => members[1]?.status === 'alive' && members[1].tags['life'] === '2')
    await until(place.envs[1], again, (members) => statuses(members) === 'a alive, b alive, c alive')
    await stopAll([a, again, c])
  })

  law('one that left may join again', async (place) => {
    const pools = await joined(place, ['a', 'b'])
    const [a, b] = pools as [Pool, Pool]
    const at = b.self().endpoint
    await b.leave()
    await b.stop()
    await until(place.envs[0], a, (members) => statuses(members) === 'a alive, b left')
    const again = await open(place.envs[1], 'b', at)
    expect((await again.join(a.self().endpoint)).ok).toBe(true)
    await until(place.envs[0], a, (members) => statuses(members) === 'a alive, b alive')
    await until(place.envs[1], again, (members) => statuses(members) === 'a alive, b alive')
    await stopAll([a, again])
  })

  law('a failed member can be made one that left', async (place) => {
    const pools = await joined(place, ['a', 'b', 'c'])
    const [a, b, c] = pools as [Pool, Pool, Pool]
    await b.stop()
    await until(place.envs[0], a, (members) => members[1]?.status === 'failed')
    await until(place.envs[2], c, (members) => members[1]?.status === 'failed')
    expect(a.forceLeave('nobody')).toBe(false)
    expect(a.forceLeave('b')).toBe(true)
    await until(place.envs[0], a, (members) => members[1]?.status === 'left')
    await until(place.envs[2], c, (members) => members[1]?.status === 'left')
    await stopAll([a, c])
  })
}
