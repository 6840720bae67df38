import { expect } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { openPool } from '../../../src/gossip/driver/open-pool.ts'
import type { MemberChange, Pool } from '../../../src/gossip/pool.ts'
import { outermostBomb, packetBomb, streamBomb } from '../../unit/gossip-wire/bombs.ts'
import { joined, stopAll } from './joined-pools.ts'
import { encrypted, open, quickTiming, statuses, until } from './pools.ts'
import type { RegisterLaw } from './worlds.ts'

/** What pools do with what does not belong to them. */
export function strangerLaws(law: RegisterLaw): void {
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
