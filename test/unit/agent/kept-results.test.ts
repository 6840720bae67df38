import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { KeptResults } from '../../../src/agent/requests/serving/kept-results.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import { getEndpoint } from '../../../src/features/kv/endpoint.ts'
import { putEndpoint } from '../../../src/features/kv/write-endpoints.ts'
import { readEndpoint } from '../../../src/features/txn/endpoint.ts'
import { LoneServer } from '../features/lone-server.ts'

const endpointOf = (endpoint: unknown) => endpoint as QueryEndpoint

describe('results of queries', () => {
  it('of transactions that read are not kept, however often they are asked for', () => {
    const results = new KeptResults(new LoneServer().state.store)
    const args = { questions: [{ verb: 'get-or-empty', key: 'a', index: '0', session: '' }] }
    for (let times = 0; times < 3; times++) results.read(endpointOf(readEndpoint), args)
    expect(results.size).toEqual({ results: 0, bytes: 0 })
  })

  it('of long requests are not cached, and wake waiting reads nevertheless', async () => {
    const server = new LoneServer()
    const results = new KeptResults(server.state.store)
    const [short, long] = [{ key: 'k'.repeat(512) }, { key: 'k'.repeat(2_000) }]
    for (let times = 0; times < 3; times++) results.read(endpointOf(getEndpoint), long)
    expect(results.size).toEqual({ results: 0, bytes: 0 })
    let woken = 0
    const waiting = results.wait(results.read(endpointOf(getEndpoint), long), () => woken++)
    expect([waiting.ok, results.waiting, results.size.results]).toEqual([true, 1, 0])
    await putEndpoint.serve(server.context, { ...long, value: new Uint8Array(1), flags: 0n }, undefined, unrestricted)
    expect([woken, results.waiting, results.size]).toEqual([1, 0, { results: 0, bytes: 0 }])
    for (let times = 0; times < 3; times++) results.read(endpointOf(getEndpoint), short)
    expect(results.size.results).toBe(1)
  })
})
