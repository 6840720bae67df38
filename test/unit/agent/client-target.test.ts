import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Calls } from '../../../src/agent/requests/asking/calls.ts'
import { ClientTarget, RequestBudget } from '../../../src/agent/requests/asking/client-target.ts'
import { ServerRouter } from '../../../src/agent/requests/asking/server-router.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { QueryEndpoint, WriteEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { ReadOptions } from '../../../src/features/contract/reading.ts'
import { noChange } from '../../../src/model/log-position.ts'
import type { RpcCall } from '../../../src/rpc/requests-in-flight.ts'
import type { CallFailure, Rpc } from '../../../src/rpc/rpc.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakePool, serverMember } from './fake-pool.ts'

const write = { method: 'Test.Write', kind: 'write', reply: z.unknown() } as unknown as WriteEndpoint
const query = { method: 'Test.Query', kind: 'query', reply: z.unknown() } as unknown as QueryEndpoint
const unlimited = { perSecond: undefined, burst: 0 }
const plain: ReadOptions = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

/** A client agent whose servers answer what a test says, by address. */
class Client {
  readonly clock = new HandClock()
  readonly asked: { readonly address: string; readonly call: RpcCall }[] = []
  readonly answers = new Map<string, Result<unknown, CallFailure>>()
  readonly fake: FakePool
  readonly router: ServerRouter
  readonly calls: Calls

  constructor(servers: number) {
    this.fake = new FakePool(Array.from({ length: servers }, (_, at) => serverMember(at + 1)))
    const env = {
      ...this.clock.env,
      random: { draws: () => ({ below: () => 0 }) },
      metrics: { count: () => {} },
    } as unknown as Env
    const rpc = {
      request: async (address: string, call: RpcCall) => {
        this.asked.push({ address, call })
        return this.answers.get(address) ?? err({ kind: 'unreachable', message: `cannot reach ${address}` })
      },
    } as unknown as Rpc
    const router = new ServerRouter(env, this.fake.pool, 'dc1')
    this.router = router
    const budget = new RequestBudget(env, unlimited)
    const target = new ClientTarget({ env, rpc, router, budget, datacenter: 'dc1', holdMs: 7_000 })
    const elsewhere = { targetOf: () => target, onHope: () => ({ close: () => {} }) }
    this.calls = Calls.of({ env, target, elsewhere, datacenter: 'dc1', holdMs: 7_000, origin: 'c/1' })
  }
}

describe('the requests of a client agent', () => {
  it('go to a server, with the request to forward them to the one that must answer', async () => {
    const client = new Client(1)
    client.answers.set('10.0.0.1:8300', ok(true))
    expect(await client.calls.write(write, { key: 'a' }, {})).toEqual(ok(true))
    expect(client.asked[0]?.call.body).toMatchObject({
      args: { key: 'a' },
      forward: true,
      identity: { origin: 'c/1', sequence: 0 },
    })
  })

  it('go to the next server when one does not answer, and stay with it', async () => {
    const client = new Client(2)
    client.answers.set('10.0.0.1:8300', ok(true))
    const [first, second] = [client.calls.write(write, {}, {}), settled()]
    await second
    await client.clock.advance(1_000)
    expect(await first).toEqual(ok(true))
    client.asked.length = 0
    expect(await client.calls.write(write, {}, {})).toEqual(ok(true))
    expect(client.asked.map(({ address }) => address)).toEqual(['10.0.0.1:8300'])
  })

  it('[AGT-003] fail cleanly without any server, and are answered when one appears', async () => {
    const client = new Client(0)
    expect(await client.calls.query(query, {}, plain, {})).toEqual(err({ kind: 'no-servers' }))
    client.fake.set(serverMember(1), 'joined')
    const meta = { index: 3, knownLeader: true, lastContactMs: 0 }
    client.answers.set('10.0.0.1:8300', ok({ value: 'x', meta }))
    expect(await client.calls.query(query, {}, plain, {})).toEqual(ok({ value: 'x', meta }))
  })

  it.each([
    [ok(true), []],
    [err({ kind: 'no-leader' } as const), []],
    [
      err({ kind: 'unreachable', message: 'nobody is there' } as const),
      ['no server can be reached: s1: nobody is there'],
    ],
    [err({ kind: 'connection-lost', message: 'cut' } as const), ['no server can be reached: s1: cut']],
    [err({ kind: 'deadline-exceeded', message: 'late' } as const), ['no server has answered yet']],
  ])('tell whether there is anybody to ask: %o', async (answer, troubles) => {
    const client = new Client(1)
    client.answers.set('10.0.0.1:8300', answer)
    const asked = client.calls.write(write, {}, {})
    await settled()
    await client.clock.advance(8_000)
    await asked
    expect(client.router.troubles).toEqual(troubles)
  })

  it('are given more time than a server may hold them', async () => {
    const client = new Client(1)
    client.answers.set('10.0.0.1:8300', ok(true))
    await client.calls.write(write, {}, {})
    expect(client.asked[0]?.call.deadlineMs).toBe(17_000)
  })

  it("are not repeated when the server's word is final", async () => {
    const client = new Client(2)
    for (const address of ['10.0.0.1:8300', '10.0.0.2:8300']) client.answers.set(address, err({ kind: 'no-leader' }))
    expect(await client.calls.write(write, {}, {})).toEqual(err({ kind: 'no-leader' }))
    expect(client.asked).toHaveLength(1)
  })

  it('stay with a server that tells of trouble in another datacenter', async () => {
    const client = new Client(2)
    for (const address of ['10.0.0.1:8300', '10.0.0.2:8300']) client.answers.set(address, err({ kind: 'no-leader' }))
    const elsewhere = { ...plain, datacenter: 'dc2' }
    const first = client.calls.query(query, {}, elsewhere, {})
    await settled()
    await client.clock.advance(60_000)
    await first
    const asked = client.asked.length
    const second = client.calls.query(query, {}, elsewhere, {})
    await settled()
    await client.clock.advance(60_000)
    await second
    expect(client.asked.length).toBeGreaterThan(asked)
    expect(new Set(client.asked.map(({ address }) => address)).size).toBe(1)
  })

  it('go to another server if the first has no leader, also where they name the own datacenter', async () => {
    const client = new Client(2)
    client.answers.set('10.0.0.1:8300', ok(true))
    client.answers.set('10.0.0.2:8300', err({ kind: 'no-leader' }))
    const here = { datacenter: 'dc1' }
    expect(await client.calls.write(write, {}, here)).toEqual(err({ kind: 'no-leader' }))
    expect(await client.calls.write(write, {}, here)).toEqual(ok(true))
    expect(client.asked.map(({ call }) => call.deadlineMs)).toEqual([17_000, 17_000])
  })

  it.each(['no-leader', 'deadline-exceeded', 'outcome-unknown'] as const)(
    'go to another server after one that came to nothing: %s',
    async (kind) => {
      const client = new Client(2)
      client.answers.set('10.0.0.1:8300', ok(true))
      client.answers.set('10.0.0.2:8300', err(kind === 'no-leader' ? { kind } : { kind, message: '' }))
      const first = client.calls.write(write, {}, {})
      await settled()
      await client.clock.advance(1_000)
      expect((await first).ok).toBe(kind !== 'no-leader')
      expect(await client.calls.write(write, {}, {})).toEqual(ok(true))
      expect(client.asked.map(({ address }) => address).slice(0, 2)).toEqual(['10.0.0.2:8300', '10.0.0.1:8300'])
    },
  )
})
