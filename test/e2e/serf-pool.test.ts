import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import type { Pool } from '../../src/gossip/pool.ts'
import { createHostEnv, type HostEnv } from '../../src/host/env.ts'
import { originCoordinate } from '../../src/model/coordinate.ts'
import { encrypted, open, statuses, until } from '../contract/gossip/pools.ts'
import { SerfAgent, serfIsThere, whySkipped } from './serf-agent.ts'

const tags = { role: 'server', dc: 'dc1', id: '0f5a6a3b-4a08-4d5b-8a6f-6a3b4a084d5b' }

let env: HostEnv
let ours: Pool
let theirs: SerfAgent | undefined
beforeEach(async () => {
  env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  ours = await open(env, 'ours', { host: '127.0.0.1', port: 0 }, tags)
})
afterEach(async () => {
  await ours.stop()
  env.close()
  await theirs?.kill()
  theirs = undefined
})

async function startTheirs(context: TestContext, ...flags: readonly string[]): Promise<SerfAgent> {
  if (!serfIsThere) context.skip(whySkipped)
  theirs = await SerfAgent.start('theirs', ['-tag=role=web', `-tag=long=${'v'.repeat(100)}`, ...flags])
  return theirs
}

async function joined(context: TestContext, ...flags: readonly string[]): Promise<SerfAgent> {
  const serf = await startTheirs(context, ...flags)
  expect(await ours.join({ host: '127.0.0.1', port: serf.port })).toEqual({ ok: true, value: undefined })
  await serf.said(/EventMemberJoin: ours/)
  return serf
}

async function theirView(serf: SerfAgent): Promise<string> {
  return statuses(await serf.members())
}

/**
 * What its log says when it makes nothing of what it hears; of its own commands, which come and go, it may say what it
 * likes.
 */
const complaint = /\[(ERR|WARN)\] (?!agent\.ipc:|memberlist: (?:Refuting a suspect message|Failed to send ack: )).*/

describe('with an agent of the field in the pool', () => {
  for (const [how, flags] of [
    ['that compresses', []],
    ['that does not compress', ['-disable-compression']],
  ] as const) {
    it(`each lists the other with its tags, one ${how}`, async (context) => {
      const serf = await joined(context, ...flags)
      expect(statuses(ours.members())).toBe('ours alive, theirs alive')
      expect(ours.members()[1]).toMatchObject({
        endpoint: { host: '127.0.0.1', port: serf.port },
        tags: { role: 'web', long: 'v'.repeat(100) },
        versions: { protocolSpoken: 2, protocolMax: 5 },
      })
      expect(await theirView(serf)).toBe('ours alive, theirs alive')
      expect((await serf.members())[0]).toMatchObject({ addr: `127.0.0.1:${ours.self().endpoint.port}`, tags })
    })
  }

  for (const bytes of [16, 32]) {
    it(`each lists the other, with an encryption key of ${bytes} bytes`, async (context) => {
      const key = Buffer.alloc(bytes, 7).toString('base64')
      await ours.stop()
      ours = await open(env, 'ours', { host: '127.0.0.1', port: 0 }, tags, encrypted(key))
      const serf = await joined(context, `-encrypt=${key}`)
      expect(await theirView(serf)).toBe('ours alive, theirs alive')
      ours.setTags({ role: 'server', life: 'new' })
      await serf.said(/EventMemberUpdate: ours/)
      await serf.said(/messageJoinType: ours/)
      expect(serf.log).not.toMatch(complaint)
      await serf.kill()
      await until(env, ours, (members) => statuses(members) === 'ours alive, theirs failed')
    })
  }

  it('with another key than ours it is not let in', async (context) => {
    await ours.stop()
    ours = await open(
      env,
      'ours',
      { host: '127.0.0.1', port: 0 },
      tags,
      encrypted(Buffer.alloc(16, 7).toString('base64')),
    )
    const serf = await startTheirs(context, `-encrypt=${Buffer.alloc(16, 8).toString('base64')}`)
    expect(await ours.join({ host: '127.0.0.1', port: serf.port })).toMatchObject({ ok: false })
    await expect(serf.join(`127.0.0.1:${ours.self().endpoint.port}`)).rejects.toThrow('Error joining')
    expect(statuses(ours.members())).toBe('ours alive')
  })

  it('it hears our user events, and we hear its', async (context) => {
    const serf = await joined(context)
    const heard = env.deferred<string>()
    ours.onEvent(({ name, payload }) => {
      if (name === 'theirs') heard.resolve(Buffer.from(payload).toString())
    })
    ours.fireEvent('from-us', Buffer.from('payload-1'))
    await serf.said(/messageUserEventType: from-us/)
    await serf.command('event', 'theirs', 'payload-2')
    expect(await heard.promise).toBe('payload-2')
    expect(serf.log).not.toMatch(complaint)
  })

  it('it hears our queries and we hear its, with filters and relays', async (context) => {
    const serf = await joined(context)
    const filters = [{ kind: 'tag', tag: 'role', expression: '^web$' } as const]
    const payload = Buffer.from('x')
    expect(await ours.query({ name: 'q', payload, filters, relayFactor: 1, timeoutMs: 2_000 })).toEqual({
      acks: ['theirs'],
      answers: [],
    })
    const said = await serf.command('query', '-tag=role=ser.*', '-relay-factor=1', '-timeout=2s', 'uptime')
    expect(said).toContain("Ack from 'ours'")
    expect(said).not.toContain("Ack from 'theirs'")
    expect(serf.log).not.toMatch(complaint)
  })

  it('each learns from the other how far it is', async (context) => {
    await ours.stop()
    ours = await open(env, 'ours', { host: '127.0.0.1', port: 0 }, tags, { keepsCoordinate: true })
    const serf = await joined(context)
    await serf.command('query', '-timeout=3s', 'pings-go-on-meanwhile')
    expect(ours.coordinateOf('theirs')).toMatchObject({ vec: expect.any(Array) })
    expect(ours.coordinateOf('ours')).not.toEqual(originCoordinate)
    expect(await serf.command('rtt', 'ours', 'theirs')).toMatch(/Estimated ours <-> theirs rtt: [0-9.]+ ms/)
    expect(serf.log).not.toMatch(complaint)
  })

  it('it changes our keys, and we change its', async (context) => {
    const [old, fresh] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]
    await ours.stop()
    ours = await open(env, 'ours', { host: '127.0.0.1', port: 0 }, tags, encrypted(old))
    const serf = await joined(context, `-encrypt=${old}`)
    await serf.command('keys', `-install=${fresh}`)
    expect(await ours.keys({ action: 'list', relayFactor: 0 })).toMatchObject({
      value: {
        nodes: 2,
        answered: 2,
        errors: [],
        keys: [
          [old, 2],
          [fresh, 2],
        ],
      },
    })
    expect(await ours.keys({ action: 'use', key: fresh, relayFactor: 0 })).toMatchObject({ value: { errors: [] } })
    expect(await serf.command('keys', `-remove=${old}`)).toContain('Successfully removed key')
    expect(await serf.command('keys', '-list')).toMatch(/CAgI.*=.*\[2\/2\]/)
    ours.setTags({ role: 'server', life: 'new' })
    await serf.said(/EventMemberUpdate: ours/)
  })

  it('it joins us as well as we join it', async (context) => {
    const serf = await startTheirs(context)
    await serf.join(`127.0.0.1:${ours.self().endpoint.port}`)
    await until(env, ours, (members) => statuses(members) === 'ours alive, theirs alive')
    await serf.said(/EventMemberJoin: ours/)
    expect(await theirView(serf)).toBe('ours alive, theirs alive')
  })

  it('it hears of our new tags, and makes sense of all that we say', async (context) => {
    const serf = await joined(context)
    ours.setTags({ role: 'server', life: 'new' })
    await serf.said(/EventMemberUpdate: ours/)
    expect((await serf.members())[0]).toMatchObject({ tags: { role: 'server', life: 'new' } })
    await serf.said(/messageJoinType: ours/)
    expect(serf.log).not.toMatch(complaint)
  })

  it('it takes our leaving for one', async (context) => {
    const serf = await joined(context)
    await ours.leave()
    await serf.said(/EventMemberLeave: ours/)
    expect(await theirView(serf)).toBe('ours left, theirs alive')
    expect(serf.log).not.toMatch(complaint)
  })

  it('it finds out when we fall silent, and that we are back', async (context) => {
    const serf = await joined(context)
    const at = ours.self().endpoint
    await ours.stop()
    await serf.said(/EventMemberFailed: ours/)
    ours = await open(env, 'ours', at, tags)
    expect(await ours.join({ host: '127.0.0.1', port: serf.port })).toMatchObject({ ok: true })
    await serf.said(/EventMemberJoin: ours/, 2)
    expect(await theirView(serf)).toBe('ours alive, theirs alive')
  })

  it('we take its leaving for one', async (context) => {
    const serf = await joined(context)
    await serf.leave()
    await until(env, ours, (members) => statuses(members) === 'ours alive, theirs left')
  })

  it('we find out when it is killed', async (context) => {
    const serf = await joined(context)
    await serf.kill()
    await until(env, ours, (members) => statuses(members) === 'ours alive, theirs failed')
  })

  it('a third learns of us from it', async (context) => {
    const serf = await joined(context)
    const third = await open(env, 'third', { host: '127.0.0.1', port: 0 })
    expect(await third.join({ host: '127.0.0.1', port: serf.port })).toMatchObject({ ok: true })
    await until(env, third, (members) => statuses(members) === 'ours alive, theirs alive, third alive')
    await until(env, ours, (members) => statuses(members) === 'ours alive, theirs alive, third alive')
    expect(third.members()[0]).toMatchObject({ tags })
    await third.stop()
  })
})
