import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { KeptResults } from '../../../src/agent/requests/serving/kept-results.ts'
import { textOf } from '../../../src/base/bytes.ts'
import { type Json, writeJson } from '../../../src/base/json.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { HttpResponse } from '../../../src/env/http.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { Positions } from '../../../src/features/contract/reading.ts'
import { serviceHealthEndpoint } from '../../../src/features/health/endpoint.ts'
import { healthEntryJson, healthEntryShape } from '../../../src/features/health/model.ts'
import { entryTypeOf } from '../../../src/features/http/entry-type.ts'
import { answeredEntries } from '../../../src/features/http/filtering.ts'
import { Filter } from '../../../src/filter/filter.ts'
import { responseEncoder } from '../../../src/http/encode-response.ts'
import { headerNames } from '../../../src/http/header-names.ts'
import type { HealthServiceEntry } from '../../../src/model/catalog.ts'
import { firstChange } from '../../../src/model/log-position.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { LoneServer } from '../features/lone-server.ts'

const health = serviceHealthEndpoint as QueryEndpoint
const web = { service: 'web', connect: false }

async function register(server: LoneServer, node: string, port: number): Promise<void> {
  const body = { Node: node, Address: '10.0.0.1', Service: { Service: 'web', Port: port } }
  await server.request('PUT', '/v1/catalog/register', JSON.stringify(body))
}

async function withInstances(): Promise<LoneServer> {
  const server = new LoneServer()
  for (const [at, node] of ['a', 'b', 'c'].entries()) await register(server, node, at + 1)
  return server
}

const some: Positions = Uint32Array.of(0, 2)

describe('what callers select of a result', () => {
  it('is selected once and encoded once while it is under way and while the result is current', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store)
    let selected = 0
    let made = 0
    const select = async () => {
      selected++
      return ok(some)
    }
    const make = () => new Uint8Array([++made])
    const ask = async (name: string) => {
      const part = await results.read(health, web).selected(name, select)
      return part.ok ? [...part.value.bytesOf('json', make)] : part.error
    }
    expect(await Promise.all([ask('x'), ask('x'), ask('y')])).toEqual([[1], [1], [2]])
    expect([await ask('x'), selected, made]).toEqual([[1], 2, 2])
    await register(server, 'd', 4)
    expect(results.selectionBytes).toBe(0)
    expect([await ask('x'), selected]).toEqual([[3], 3])
  })

  it('is told to all that wait also when it fails or the result changes meanwhile, and is not kept then', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store)
    const failure = err({ kind: 'bad-request', message: 'too much work' } as const)
    let selected = 0
    const ask = (positions: typeof failure | { ok: true; value: Positions }) =>
      results.read(health, web).selected('x', async () => {
        selected++
        await register(server, 'd', 10 + selected)
        return positions
      })
    expect(await Promise.all([ask(failure), ask(failure)])).toEqual([failure, failure])
    expect([selected, results.selectionBytes]).toEqual([1, 0])
    let made = 0
    const [one, other] = await Promise.all([ask(ok(some)), ask(ok(some))])
    const encoded = [one, other].map((part) =>
      part?.ok === true ? part.value.bytesOf('json', () => new Uint8Array([++made])) : part,
    )
    expect([encoded, selected, results.selectionBytes]).toEqual([[Uint8Array.of(1), Uint8Array.of(1)], 2, 0])
  })

  it('is bounded in bytes, and displaces the selection asked for longest ago, but no result', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store, { selectionBytesMax: 10_000 })
    let selected = 0
    const ask = async (name: string) => {
      const part = await results.read(health, web).selected(name, async () => {
        selected++
        return ok(some)
      })
      if (part.ok) part.value.bytesOf('json', () => new Uint8Array(1_000))
      expect(results.selectionBytes).toBeLessThanOrEqual(10_000)
    }
    for (const name of ['a', 'b', 'c', 'a', 'd']) await ask(name)
    expect(selected).toBe(4)
    for (const name of ['a', 'd', 'b']) await ask(name)
    expect([selected, results.size.results]).toEqual([5, 1])
    const huge = await results.read(health, web).selected('huge', async () => ok(some))
    if (huge.ok) huge.value.bytesOf('json', () => new Uint8Array(20_000))
    expect([results.selectionBytes, results.size.results]).toEqual([0, 1])
  })

  it('is selected apart for callers with other rights, and ends with their view', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store)
    const result = results.read(health, web)
    const rights = Array.from({ length: 65 }, () => ({ ...unrestricted }) as typeof unrestricted)
    const seen = (by: typeof unrestricted) => result.partFor(by, () => ({ value: [], newest: firstChange })).view
    let selected = 0
    const ask = (by: typeof unrestricted) =>
      seen(by).selected('x', async () => {
        selected++
        return ok(Uint32Array.of())
      })
    const [first, second] = rights
    if (first === undefined || second === undefined) throw new Error('none')
    for (const by of [first, second, first]) await ask(by)
    expect(selected).toBe(2)
    const ofTwo = results.selectionBytes
    for (const by of rights) seen(by)
    expect(results.selectionBytes).toBe(ofTwo / 2)
  })

  it('has the same bytes for the caller that judges, for one that waits, and for one that comes later', async () => {
    const server = await withInstances()
    const results = new KeptResults(server.state.store)
    let shown = 0
    const entryJson = (entry: HealthServiceEntry): Json => {
      shown++
      return healthEntryJson(entry, 'dc1')
    }
    const meta = { index: firstChange, knownLeader: true, lastContactMs: 0 }
    const encoder = responseEncoder(svcNaming, headerNames(svcNaming, []), [])
    const ask = async (pretty = false, text = 'Service.Port != 2'): Promise<HttpResponse> => {
      const filter = Filter.from(text, entryTypeOf(healthEntryShape))
      if (!filter.ok) throw new Error(filter.error)
      const result = results.read(health, web)
      const answer = { value: result.value as readonly HealthServiceEntry[], meta, forms: result }
      const entries = { form: 'health', entries: (all: typeof answer.value) => all, entryJson }
      return encoder.response(await answeredEntries(server.agent, answer, filter.value, entries), pretty)
    }
    const answers = [...(await Promise.all([ask(), ask()])), await ask()]
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    // Of three entries, each once.
    expect(shown).toBe(3)
    const other = await ask(false, 'Service.Port == 2')
    expect(JSON.parse(textOf(other.body as Uint8Array))).toMatchObject([{ Service: { Port: 2 } }])
    const pretty = await ask(true)
    const parsed = [answers[0], pretty].map((each) => JSON.parse(textOf(each?.body as Uint8Array)) as unknown)
    expect(parsed[0]).toEqual(parsed[1])
    expect(parsed[0]).toMatchObject([{ Service: { Port: 1 } }, { Service: { Port: 3 } }])
    expect(textOf(pretty.body as Uint8Array)).not.toBe(writeJson(parsed[0] as Json, false))
  })
})
