import { expect, it } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { openPool } from '../../../src/gossip/driver/open-pool.ts'
import type { MemberChange, Pool } from '../../../src/gossip/pool.ts'
import { outermostBomb, packetBomb, streamBomb } from '../../unit/gossip-wire/bombs.ts'
import { encrypted, open, quickTiming, statuses, until } from './pools.ts'
import type { GossipWorld, Law, Place } from './worlds.ts'

/** Pools of the first agents of a place, in which all know all. */
async function joined(place: Place, names: readonly string[]): Promise<Pool[]> {
  const pools: Pool[] = []
  for (const [at, name] of names.entries()) {
    pools.push(await open(place.envs[at] as Env, name, place.hosts[at] as Endpoint))
  }
  const [first, ...others] = pools as [Pool, ...Pool[]]
  for (const other of others) expect(await other.join(first.self().endpoint)).toEqual({ ok: true, value: undefined })
  const all = names.map((name) => `${name} alive`).join(', ')
  for (const [at, pool] of pools.entries()) {
    await until(place.envs[at] as Env, pool, (members) => statuses(members) === all)
  }
  return pools
}

async function stopAll(pools: readonly Pool[]): Promise<void> {
  for (const pool of pools) await pool.stop()
}

/** What any Env's pools do. */
export function poolLaws(world: GossipWorld): void {
  const law = (title: string, body: Law): void => it(title, () => world.look(body))
  membershipLaws(law)
  newsLaws(law)
  departureLaws(law)
  strangerLaws(law)
}

type Register = (title: string, body: Law) => void

function membershipLaws(law: Register): void {
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

function newsLaws(law: Register): void {
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

function departureLaws(law: Register): void {
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

function strangerLaws(law: Register): void {
  law('joining where nobody listens fails with a reason', async ({ envs, hosts }) => {
    const [a, b] = [await open(envs[0], 'a', hosts[0]), await open(envs[1], 'b', hosts[1])]
    const nowhere = b.self().endpoint
    await b.stop()
    expect(await a.join(nowhere)).toMatchObject({
      ok: false,
      error: { kind: 'failed', message: expect.stringContaining('refused') },
    })
    expect(statuses(a.members())).toBe('a alive')
    await a.stop()
  })

  law('joining something else fails with a reason', async ({ envs, hosts }) => {
    const a = await open(envs[0], 'a', hosts[0])
    const other = await envs[1].tcp.listen(hosts[1], (stream) => {
      stream.onData(() => undefined)
      stream.onClose(() => undefined)
      stream.write(new TextEncoder().encode('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    if (!other.ok) throw new Error('cannot listen')
    expect(await a.join(other.value.local)).toMatchObject({ ok: false })
    other.value.close()
    await a.stop()
  })

  law('a port in use is a failure, and leaves nothing open', async ({ envs, hosts }) => {
    const a = await open(envs[0], 'a', hosts[0])
    const bind = a.self().endpoint
    const timing = quickTiming
    const second = await openPool(envs[0], { name: 'b', bind, advertise: bind, tags: {}, timing })
    expect(second).toMatchObject({ ok: false, error: { kind: 'address-in-use' } })
    await a.stop()
    await (await open(envs[0], 'a', bind)).stop()
  })

  law('tags that are too long keep a pool from opening', async ({ envs, hosts }) => {
    const tags = { role: 'x'.repeat(600) }
    const options = { name: 'a', bind: hosts[0], advertise: hosts[0], tags, timing: quickTiming }
    expect(await openPool(envs[0], options)).toMatchObject({ ok: false, error: { kind: 'io' } })
  })

  law('a pool with a key admits members with the key, and no others', async ({ envs, hosts }) => {
    const [key, other] = ['cg8StVXbQJ0gPvMd9o7yrg==', 'pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s=']
    const role = { role: 'any' }
    const a = await open(envs[0], 'a', hosts[0], role, encrypted(key))
    const b = await open(envs[1], 'b', hosts[1], role, encrypted(other, key))
    const c = await open(envs[2], 'c', hosts[2], role, encrypted(other))
    const d = await open(envs[3], 'd', hosts[3])
    const at = a.self().endpoint
    // b seals with a key that a does not have.
    expect(await b.join(at)).toMatchObject({ ok: false })
    expect(await c.join(at)).toMatchObject({ ok: false })
    expect(await d.join(at)).toMatchObject({ ok: false })
    expect(await a.join(d.self().endpoint)).toMatchObject({ ok: false })
    expect(statuses(a.members())).toBe('a alive')
    expect(await c.join(b.self().endpoint)).toMatchObject({ ok: true })
    await b.stop()
    await until(envs[2], c, (members) => statuses(members) === 'b failed, c alive')
    await stopAll([a, c, d])
  })

  law('noise in packets and on streams disturbs nobody', async (place) => {
    const pools = await joined(place, ['a', 'b'])
    const [a, b] = pools as [Pool, Pool]
    const env = place.envs[2]
    const socket = await env.udp.bind(place.hosts[2], () => undefined)
    if (!socket.ok) throw new Error('cannot bind')
    for (let first = 0; first < 256; first++)
      socket.value.send(a.self().endpoint, Uint8Array.of(first, 0xdf, 255, 255, 255, 255))
    for (const first of [0, 6, 9, 10, 99]) {
      const stream = await env.tcp.dial(a.self().endpoint, { timeoutMs: 1_000 })
      if (!stream.ok) throw new Error('cannot dial')
      const closed = env.deferred<string>()
      stream.value.onData(() => undefined)
      stream.value.onClose((why) => closed.resolve(why))
      stream.value.write(Uint8Array.of(first, 0xc1, 0xdb, 255, 255, 255, 255))
      stream.value.end()
      await closed.promise
    }
    b.setTags({ role: 'still here' })
    await until(place.envs[0], a, (members) => members[1]?.tags['role'] === 'still here')
    expect(statuses(a.members())).toBe('a alive, b alive')
    socket.value.close()
    await stopAll(pools)
  })

  law('bytes that claim to be far more than they are disturb nobody, on streams and in packets', async (place) => {
    const bombs = [packetBomb(), outermostBomb(), streamBomb()] as const
    const pools = await joined(place, ['a', 'b'])
    const [a, b] = pools as [Pool, Pool]
    const told: string[] = []
    a.onChange((changes) => told.push(...changes.map(({ kind, member }) => `${kind} ${member.name}`)))
    const env = place.envs[2]
    const socket = await env.udp.bind(place.hosts[2], () => undefined)
    if (!socket.ok) throw new Error('cannot bind')
    const ends: Promise<string>[] = []
    for (let n = 0; n < 100; n++) {
      socket.value.send(a.self().endpoint, bombs[n % 2] as Uint8Array)
      if (n % 5 === 0) ends.push(bombOver(env, a.self().endpoint, bombs[2]))
    }
    for (const end of await Promise.all(ends)) expect(end).toContain('bytes when expanded')
    b.setTags({ role: 'still here' })
    await until(place.envs[0], a, (members) => members[1]?.tags['role'] === 'still here')
    expect(told).toEqual(['updated b'])
    socket.value.close()
    await stopAll(pools)
  })

  law(
    'a stream on which nothing comes is broken off in time, and too many of them are not let in',
    async ({ envs, hosts }) => {
      const a = await open(envs[0], 'a', hosts[0])
      const env = envs[1]
      const ends: Promise<string>[] = []
      for (let n = 0; n < 140; n++) {
        const stream = await env.tcp.dial(a.self().endpoint, { timeoutMs: 5_000 })
        if (!stream.ok) {
          // Broken off so soon that the dial already saw it: all come from one source, which may hold a quarter of the
          // 128.
          expect(n).toBeGreaterThanOrEqual(32)
          continue
        }
        const over = env.deferred<string>()
        stream.value.onData(() => undefined)
        stream.value.onClose((why) => over.resolve(why))
        ends.push(over.promise)
      }
      expect(new Set(await Promise.all(ends))).toEqual(new Set(['reset']))
      const b = await open(envs[1], 'b', hosts[1])
      expect((await b.join(a.self().endpoint)).ok).toBe(true)
      await stopAll([a, b])
    },
  )

  law('a watcher may request another operation, which happens after the one that it is called for', async (place) => {
    const [a, b] = [await open(place.envs[0], 'a', place.hosts[0]), await open(place.envs[1], 'b', place.hosts[1])]
    const told: string[] = []
    a.onChange((changes) => {
      told.push(`begin ${changes.map(({ kind, member }) => `${kind} ${member.name}`).join()}`)
      if (changes[0]?.kind === 'joined') a.setTags({ role: 'a', seen: 'b' })
      told.push('end')
    })
    expect((await b.join(a.self().endpoint)).ok).toBe(true)
    await until(place.envs[1], b, (members) => members[0]?.tags['seen'] === 'b')
    expect(told).toEqual(['begin joined b', 'end', 'begin updated a', 'end'])
    await stopAll([a, b])
  })

  law('after stop nothing happens any more', async (place) => {
    const pools = await joined(place, ['a', 'b'])
    const [a, b] = pools as [Pool, Pool]
    const seen: MemberChange[] = []
    a.onChange((changes) => seen.push(...changes))
    const joining = a.join(b.self().endpoint)
    await a.stop()
    expect(await joining).toEqual({ ok: false, error: { kind: 'failed', message: 'the pool has stopped' } })
    await a.stop()
    await a.leave()
    expect(a.forceLeave('b')).toBe(false)
    await until(place.envs[1], b, (members) => statuses(members) === 'a failed, b alive')
    expect(seen).toEqual([])
    await b.stop()
  })
}

/** What the pool at this address says to a frame that claims to be 16 MiB. */
async function bombOver(env: Env, to: Endpoint, bomb: Uint8Array): Promise<string> {
  const stream = await env.tcp.dial(to, { timeoutMs: 5_000 })
  if (!stream.ok) throw new Error(`cannot dial: ${stream.error.kind}`)
  const closed = env.deferred<string>()
  let said = ''
  stream.value.onData((bytes) => {
    said += String.fromCharCode(...bytes)
  })
  stream.value.onClose(() => closed.resolve(said))
  stream.value.write(bomb)
  stream.value.end()
  return closed.promise
}
