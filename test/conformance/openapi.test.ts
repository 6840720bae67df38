import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Accesses } from './accesses.ts'
import { agentDocument, routes } from './agent-document.ts'
import { ask } from './ask.ts'
import { DocumentCheck } from './document-check.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

const document = agentDocument()
const session = '11111111-0000-0000-0000-000000000000'

/** What a request needs besides its path for its handler to look at everything that it looks at. */
const further: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/kv/{key}': ['?keys', '?recurse'],
  'PUT /v1/kv/{key}': ['?acquire=', '?release='],
  'PUT /v1/agent/maintenance': ['?enable=true&reason=a', '?enable=false'],
  'PUT /v1/agent/service/maintenance/{service}': ['?enable=true&reason=a'],
  'GET /v1/catalog/service/{service}': ['?cached'],
  'GET /v1/catalog/connect/{service}': ['?cached'],
  'GET /v1/health/service/{service}': ['?cached'],
  'GET /v1/health/connect/{service}': ['?cached'],
  'GET /v1/query/{query}/execute': ['?cached'],
  'GET /v1/connect/intentions/match': ['?by=destination&name=db'],
  'GET /v1/connect/intentions/check': ['?source=web&destination=db'],
}

const bodies: Readonly<Record<string, string>> = {
  'PUT /v1/agent/service/register': '{"Name":"web"}',
  'PUT /v1/query/{query}': '{"Name":"q","Service":{"Service":"web"}}',
  'PUT /v1/operator/autopilot/configuration': '{"CleanupDeadServers":true}',
  'PUT /v1/txn': '[]',
  'POST /v1/connect/intentions': '{"SourceName":"web","DestinationName":"db","Action":"allow"}',
  'POST /v1/agent/connect/authorize': '{"Target":"db","ClientCertURI":"spiffe://1.svc/ns/default/dc/dc1/svc/web"}',
}

/** These end the agent, or go on for ever. */
const untouched = new Set(['PUT /v1/agent/leave', 'GET /v1/agent/monitor'])

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
)

function lineOf(operation: string): string {
  return operation
    .replace('{check}', 'web')
    .replace('{service}', 'web')
    .replace('{session}', session)
    .replace('{query}', operation.includes('/execute') || operation.includes('/explain') ? 'q' : session)
    .replace('{state}', 'any')
    .replace('{address}', '127.0.0.1:1')
    .replace(/\{\w+\}/, 's1')
}

describe('the document of the API', () => {
  let target: GoldenTarget
  let accesses: Accesses
  let stop: (() => Promise<void>) | undefined
  const faults: string[] = []

  beforeAll(async () => {
    accesses = new Accesses(routes)
    const agent = await startSimulatedAgent('default', { more: { discovery_max_stale: '1s' } })
    stop = agent.stop
    target = new DocumentCheck(document).watch(agent.target, faults)
    await ask(target, 'PUT /v1/agent/service/register', '{"Name":"web"}')
    await ask(target, 'POST /v1/query', '{"Name":"q","Service":{"Service":"web"}}')
    for (const operation of operations.filter((each) => !untouched.has(each))) {
      for (const query of ['', ...(further[operation] ?? [])]) {
        const isRead = operation.startsWith('GET ')
        await ask(target, lineOf(operation) + query, isRead ? undefined : (bodies[operation] ?? '{}'))
      }
    }
    // Where access control is off its handlers do not come as far as their parameters.
    const acl = { enabled: true, default_policy: 'allow', tokens: { master: 'root' } }
    const guarded = await startSimulatedAgent('default', { more: { primary_datacenter: 'dc1', acl } })
    stop = async () => {
      await agent.stop()
      await guarded.stop()
    }
    await guarded.target.pause(60_000)
    for (const operation of operations.filter((each) => each.includes(' /v1/acl/'))) {
      const isRead = operation.startsWith('GET ')
      await ask(guarded.target, lineOf(operation), isRead ? undefined : (bodies[operation] ?? '{}'))
    }
    const checked = new DocumentCheck(document).watch(guarded.target, faults)
    const unknown = '6f1e2d3c-4b5a-4987-8675-645342312011'
    for (const line of [`GET /v1/acl/token/${unknown}`, `GET /v1/acl/policy/${unknown}`, 'PUT /v1/acl/clone/unknown'])
      expect((await ask(checked, `${line}?token=root`)).status).toBe(403)
    expect((await ask(checked, `PUT /v1/acl/token/${unknown}/clone?token=root`)).status).toBe(403)
    // What was asked for above has taken these away meanwhile.
    await ask(target, 'PUT /v1/agent/service/register', '{"Name":"web"}')
    await ask(target, 'PUT /v1/agent/service/maintenance/web?enable=true&reason=a')
    await ask(target, 'PUT /v1/kv/a', 'x')
    await ask(target, 'GET /v1/kv/a')
  }, 120_000)
  afterAll(async () => {
    accesses?.close()
    await stop?.()
  })

  it('is what an agent says of itself', async () => {
    const said = await ask(target, 'GET /v1/openapi.json')
    expect(said.headers.get('content-type')).toBe('application/json')
    expect(JSON.parse(said.text)).toEqual(document)
  })

  it('fits what the agent answers to each operation', () => {
    expect(faults).toEqual([])
  })

  it('declares an answer of success for each operation but those of areas, and statuses of HTTP alone', () => {
    const declared = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { responses }]) => ({ path, method, statuses: Object.keys(responses) })),
    )
    const succeeds = ({ statuses }: { readonly statuses: readonly string[] }) =>
      statuses.some((each) => /^2/.test(each))
    const failing = declared.filter((each) => !succeeds(each)).map(({ path }) => path)
    expect(failing.filter((path) => !path.startsWith('/v1/operator/area/'))).toEqual([])
    expect(declared.flatMap(({ statuses }) => statuses).filter((each) => !/^[2-5]\d\d$/.test(each))).toEqual([])
  })

  it('declares of each operation the parameters that its handler reads, and no others', () => {
    // The route of the document is the agent's own: it has the rest of the table in it.
    const asked = operations.filter((each) => !untouched.has(each) && each !== 'GET /v1/openapi.json')
    expect(accesses.operations().filter((each) => asked.includes(each))).toEqual(asked)
    expect(accesses.undeclared()).toEqual([])
    expect(accesses.unread().filter((line) => asked.some((each) => line.startsWith(`${each}:`)))).toEqual([])
  })

  it.each<[string, readonly (string | number)[], unknown, string]>([
    [
      'a parameter with another pattern',
      ['components', 'parameters', 'index', 'schema'],
      { enum: ['x'] },
      '/v1/catalog/nodes?index=1&wait=1ms',
    ],
    [
      'a member of an answer that is not declared',
      ['components', 'schemas', 'Node', 'properties'],
      { ID: {} },
      '/v1/catalog/nodes',
    ],
    [
      'a header that is always there',
      ['paths', '/v1/status/leader', 'get', 'responses', '200', 'headers'],
      { 'X-Svc-Index': { $ref: '#/components/headers/X-Svc-Index' } },
      '/v1/status/leader',
    ],
    ['a status that is not declared', ['paths', '/v1/kv/{key}', 'get', 'responses'], {}, '/v1/kv/nothing'],
  ])('would be found wrong: %s', async (_what, place, instead, path) => {
    const changed = structuredClone(document)
    let at = changed as unknown as Record<string | number, unknown>
    for (const part of place.slice(0, -1)) at = at[part] as typeof at
    at[place.at(-1) ?? ''] = instead
    const found: string[] = []
    await ask(new DocumentCheck(changed).watch(target, found), `GET ${path}`)
    expect(found).not.toEqual([])
  })
})
