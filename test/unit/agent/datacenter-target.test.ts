import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CallTarget } from '../../../src/agent/requests/asking/call-target.ts'
import { Calls } from '../../../src/agent/requests/asking/calls.ts'
import { DatacenterRouter, otherDatacenters } from '../../../src/agent/requests/asking/datacenter-target.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { QueryEndpoint, WriteEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { ReadOptions } from '../../../src/features/contract/reading.ts'
import type { Member } from '../../../src/gossip/pool.ts'
import { noChange } from '../../../src/model/log-position.ts'
import type { RpcCall } from '../../../src/rpc/requests-in-flight.ts'
import type { CallFailure, Rpc } from '../../../src/rpc/rpc.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakePool, serverMember } from './fake-pool.ts'

const write = { method: 'Test.Write', kind: 'write', reply: z.unknown() } as unknown as WriteEndpoint
const query = { method: 'Test.Query', kind: 'query', reply: z.unknown() } as unknown as QueryEndpoint
const inDc2: ReadOptions = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: 'dc2' }
const lost = err({ kind: 'connection-lost', message: 'the peer reset it' } as const)
const noPath = err({ kind: 'unknown-datacenter', datacenter: 'dc2' })

function serverOfDc2(number: number): Member {
  const member = serverMember(number)
  return { ...member, name: `s${number}.dc2`, tags: { ...member.tags, dc: 'dc2' } }
}

/** A server of dc1 that knows so many servers of dc2, which answer what a test says, by address. */
class Server {
  readonly clock = new HandClock()
  readonly asked: { readonly address: string; readonly call: RpcCall }[] = []
  readonly answers = new Map<string, Result<unknown, CallFailure>>()
  readonly calls: Calls

  constructor(servers: number) {
    const pool = new FakePool(Array.from({ length: servers }, (_, at) => serverOfDc2(at + 1)))
    const env = {
      ...this.clock.env,
      random: { draws: () => ({ below: (bound: number) => bound - 1 }) },
      metrics: { count: () => {} },
      log: { write: () => {} },
    } as unknown as Env
    const rpc = {
      request: async (address: string, call: RpcCall) => {
        this.asked.push({ address, call })
        return this.answers.get(address) ?? err({ kind: 'unreachable', message: `cannot reach ${address}` })
      },
    } as unknown as Rpc
    const here: CallTarget = {
      nobody: { kind: 'no-leader' },
      attempt: async () => ok('answered here'),
      answerNow: () => undefined,
      answersHere: () => true,
      onHope: () => ({ close: () => {} }),
    }
    const router = new DatacenterRouter(env, pool.pool, 'dc1')
    const elsewhere = otherDatacenters({ env, rpc, router, holdMs: 7_000 })
    this.calls = Calls.of({ env, target: here, elsewhere, datacenter: 'dc1', holdMs: 7_000, origin: 'a/1' })
  }

  /** What a promise comes to while time passes, and after how long at most. */
  async after<T>(pending: Promise<T>, spanMs: number): Promise<T | 'nothing yet'> {
    let result: T | 'nothing yet' = 'nothing yet'
    void pending.then((value) => {
      result = value
    })
    for (let passed = 0; passed <= spanMs && result === 'nothing yet'; passed += 150) {
      await settled()
      await this.clock.advance(150)
    }
    await settled()
    return result
  }
}

describe('requests of a server for another datacenter', () => {
  it('go to a server there, with the request to forward them to the one that must answer', async () => {
    const server = new Server(1)
    server.answers.set('10.0.0.1:8300', ok(true))
    expect(await server.calls.write(write, { key: 'a' }, { datacenter: 'dc2' })).toEqual(ok(true))
    const { body } = server.asked[0]?.call ?? {}
    expect(body).toMatchObject({ args: { key: 'a' }, forward: true, datacenter: 'dc2', identity: { origin: 'a/1' } })
    const meta = { index: 7, knownLeader: true, lastContactMs: 0 }
    server.answers.set('10.0.0.1:8300', ok({ value: 'there', meta }))
    expect(await server.calls.query(query, {}, inDc2, {})).toEqual(ok({ value: 'there', meta }))
  })

  it('are none where they name the own one', async () => {
    const server = new Server(1)
    expect(await server.calls.write(write, {}, { datacenter: 'dc1' })).toEqual(ok('answered here'))
    expect(server.asked).toEqual([])
  })

  it('go to the next server there when one does not answer, with the same identity', async () => {
    const server = new Server(2)
    server.answers.set('10.0.0.1:8300', lost)
    server.answers.set('10.0.0.2:8300', ok(true))
    expect(await server.after(server.calls.write(write, {}, { datacenter: 'dc2' }), 1_000)).toEqual(ok(true))
    expect(server.asked.map(({ address }) => address)).toEqual(['10.0.0.1:8300', '10.0.0.2:8300'])
    const [first, second] = server.asked.map(({ call }) => (call.body as { identity: object }).identity)
    expect(second).toEqual(first)
  })

  it('have no path at once where no server of it is known', async () => {
    const server = new Server(0)
    expect(await server.calls.query(query, {}, inDc2, {})).toEqual(noPath)
    expect(await server.calls.write(write, {}, { datacenter: 'dc2' })).toEqual(noPath)
  })

  it('have none after the hold time where no server answers; a write that may have been served says so', async () => {
    const server = new Server(1)
    expect(await server.after(server.calls.query(query, {}, inDc2, {}), 6_000)).toBe('nothing yet')
    expect(await server.after(server.calls.query(query, {}, inDc2, {}), 8_000)).toEqual(noPath)
    server.answers.set('10.0.0.1:8300', lost)
    expect(await server.after(server.calls.write(write, {}, { datacenter: 'dc2' }), 8_000)).toMatchObject({
      error: { kind: 'outcome-unknown' },
    })
  })
})
