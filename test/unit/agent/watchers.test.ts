import { describe, expect, it } from 'vitest'
import { Watchers } from '../../../src/agent/requests/asking/shared-waits.ts'
import { KeptResults } from '../../../src/agent/requests/serving/kept-results.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import { serviceHealthEndpoint } from '../../../src/features/health/endpoint.ts'
import { getEndpoint } from '../../../src/features/kv/endpoint.ts'
import { failureStatus } from '../../../src/http/failure-status.ts'
import { LoneServer } from '../features/lone-server.ts'

const overloaded = (message: string) => ({ ok: false, error: { kind: 'overloaded', message } })

describe('blocking reads of clients', () => {
  it('are bounded for each client and for the agent, and one that ends makes room', () => {
    const watchers = new Watchers({ max: 3, ofClientMax: 2 })
    expect([watchers.begin('a').ok, watchers.begin('a').ok]).toEqual([true, true])
    expect(watchers.begin('a')).toEqual(overloaded('too many blocking queries from this client: at most 2 at a time'))
    expect(watchers.begin('b').ok).toBe(true)
    expect(watchers.begin('b')).toEqual(overloaded('too many blocking queries on this agent: at most 3 at a time'))
    watchers.end('a')
    expect([watchers.begin('b').ok, watchers.begin('a').ok]).toEqual([true, false])
    expect(failureStatus.overloaded).toBe(429)
  })
})

const health = serviceHealthEndpoint as QueryEndpoint
const key = getEndpoint as QueryEndpoint
const web = { service: 'web', connect: false }

async function withInstances(): Promise<LoneServer> {
  const server = new LoneServer()
  for (const node of ['a', 'b']) await register(server, node, 1)
  return server
}

async function register(server: LoneServer, node: string, port: number): Promise<void> {
  const body = { Node: node, Address: '10.0.0.1', Service: { Service: 'web', Port: port } }
  await server.request('PUT', '/v1/catalog/register', JSON.stringify(body))
}

describe('kept results', () => {
  it('are evaluated once and encoded once for all callers with the same request', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store)
    let evaluated = 0
    const counted: QueryEndpoint = {
      ...health,
      query: (tx, args) => {
        evaluated++
        return health.query(tx, args)
      },
    }
    let made = 0
    const make = () => new Uint8Array([++made])
    const first = results.read(counted, web)
    expect(results.read(counted, { ...web })).toBe(first)
    expect([first.bytesOf('json', make), first.bytesOf('json', make), first.bytesOf('pretty', make)]).toEqual([
      new Uint8Array([1]),
      new Uint8Array([1]),
      new Uint8Array([2]),
    ])
    await register(server, 'c', 1)
    const second = results.read(counted, web)
    expect([second === first, (second.value as unknown[]).length, evaluated]).toEqual([false, 3, 2])
    expect(second.bytesOf('json', make)).toEqual(new Uint8Array([3]))
  })

  it('of a service are not touched by what happens to another', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store)
    const kept = results.read(health, web)
    const elsewhere = { Node: 'd', Address: '10.0.0.4', Service: { Service: 'api' } }
    await server.request('PUT', '/v1/catalog/register', JSON.stringify(elsewhere))
    expect(results.read(health, web)).toBe(kept)
  })

  it('let go of the longest unasked when they take too much, never of one that is waited for', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store, { bytesMax: 5_000 })
    let woken = 0
    const awaited = results.read(health, web)
    results.wait(awaited, () => woken++)
    const other = (at: number) => ({ ...web, nodeMeta: [], service: 'web', connect: false, at })
    for (let at = 0; at < 20; at++) results.read(health, other(at))
    expect(results.size.bytes).toBeLessThanOrEqual(5_000)
    expect(results.size.results).toBeGreaterThan(1)
    expect(results.read(health, web)).not.toBe(awaited)
    await register(server, 'a', 2)
    expect([woken, results.waiting]).toEqual([1, 0])
  })

  it('that are small are kept once they are asked for again, and their bytes until they change', async () => {
    const server = new LoneServer()
    const results = new KeptResults(server.state.store)
    const read = () => results.read(key, { key: 'k' })
    const once = read()
    const again = read()
    expect([again === once, read() === again, results.size.results]).toEqual([false, true, 1])
    let made = 0
    const make = () => new Uint8Array([++made])
    expect([read().bytesOf('json', make), read().bytesOf('json', make)]).toEqual([
      new Uint8Array([1]),
      new Uint8Array([1]),
    ])
    await server.request('PUT', '/v1/kv/k', 'x')
    expect(read().value).toMatchObject({ key: 'k' })
    expect(read().bytesOf('json', make)).toEqual(new Uint8Array([2]))
    for (let at = 0; at < 2_000; at++) results.read(key, { key: `other ${at}` })
    expect(results.size.results).toBe(1)
  })

  it('refuse one more waiting read than may wait, and keep nothing small that no read waits for', async () => {
    const server = new LoneServer()
    const results = new KeptResults(server.state.store, { waitingMax: 1 })
    const read = () => results.read(key, { key: 'k' })
    const waiting = results.wait(read(), () => {})
    expect(results.wait(read(), () => {})).toEqual(overloaded('too many blocking queries on this agent'))
    expect([results.size.results, server.state.store.waiting]).toEqual([1, 1])
    if (waiting.ok) waiting.value.close()
    expect([results.size.results, results.size.bytes, server.state.store.waiting]).toEqual([0, 0, 0])
    expect(results.wait(read(), () => {}).ok).toBe(true)
  })
})
