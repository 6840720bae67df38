import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './ask.ts'
import type { ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

const textType = 'text/plain; charset=utf-8'

/** Status and line of what is refused. An empty line has no content type. */
const refusals: readonly (readonly [line: string, body: string | undefined, status: number, text: string])[] = [
  ['GET /v1/catalog/node/', undefined, 400, 'Missing node name'],
  ['GET /v1/catalog/service/', undefined, 400, 'Missing service name'],
  ['GET /v1/health/state/', undefined, 400, 'Missing check state'],
  ['GET /v1/health/service/web?passing=perhaps', undefined, 400, 'Invalid value for ?passing'],
  ['GET /v1/catalog/nodes?index=x', undefined, 400, 'Invalid index'],
  ['GET /v1/catalog/nodes?wait=10', undefined, 400, 'Invalid wait time'],
  ['GET /v1/catalog/nodes?max_stale=xx', undefined, 400, 'Invalid max_stale value "xx"'],
  [
    'GET /v1/catalog/nodes?stale&consistent',
    undefined,
    400,
    'Cannot specify ?stale with ?consistent, conflicting semantics.',
  ],
  [
    'GET /v1/health/service/web?cached&consistent',
    undefined,
    400,
    'Cannot specify ?cached with ?consistent, conflicting semantics.',
  ],
  ['PUT /v1/agent/check/register', '{}', 400, 'Missing check name'],
  ['PUT /v1/agent/check/update/x', '{"Status":"bogus"}', 400, "Invalid check status: 'bogus'"],
  ['GET /v1/kv/none', undefined, 404, ''],
  ['GET /v1/agent/service/none', undefined, 404, 'unknown proxy service ID: none'],
  ['GET /v1/nothing', undefined, 404, 'There is no route "/v1/nothing" in release 1.4.0'],
  ['POST /v1/catalog/nodes', '', 405, 'method POST not allowed'],
  ['PUT /v1/kv/large', 'x'.repeat(524_289), 413, 'Value exceeds 524288 byte limit'],
  [
    'GET /v1/agent/metrics?format=prometheus',
    undefined,
    415,
    'Prometheus is not enabled since its retention time is not positive',
  ],
  ['GET /v1/catalog/nodes?dc=elsewhere', undefined, 500, 'No path to datacenter'],
  ['PUT /v1/snapshot?dc=elsewhere', '', 500, 'No path to datacenter'],
]

describe.each(worlds.map((world) => [world.name, world] as const))('conventions %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
    for (const [Node, rack] of [
      ['ext-1', 'r1'],
      ['ext-2', 'r2'],
    ]) {
      const body = { Node, Address: '10.9.0.1', NodeMeta: { rack }, Service: { Service: 'far', Tags: ['a'] } }
      expect((await ask(target, 'PUT /v1/catalog/register', JSON.stringify(body))).status).toBe(200)
    }
  })
  afterAll(() => stop?.())

  async function list(path: string): Promise<readonly ExactObject[]> {
    return (await ask(target, `GET ${path}`)).json() as readonly ExactObject[]
  }

  it('[HTP-011] a read is as consistent as it was asked to be, says so, and says what its server knows of the leader', async () => {
    for (const [mode, shown] of [
      ['', 'leader'],
      ['consistent', 'consistent'],
      ['stale', 'stale'],
      ['max_stale=10s', 'stale'],
      ['leader', 'leader'],
    ]) {
      const { status, headers } = await ask(target, `GET /v1/catalog/nodes?${mode}`)
      const said = ['effective-consistency', 'knownleader', 'lastcontact'].map((name) => headers.get(`x-svc-${name}`))
      expect([mode, status, ...said]).toEqual([mode, 200, shown, 'true', '0'])
    }
  })

  it('a read that fails after the state was asked has the headers of one that found nothing', async () => {
    for (const path of ['session/list', 'catalog/nodes', 'coordinate/nodes', 'internal/ui/services']) {
      const { status, headers } = await ask(target, `GET /v1/${path}?dc=elsewhere`)
      const said = ['index', 'knownleader', 'lastcontact'].map((name) => headers.get(`x-svc-${name}`))
      expect([path, status, ...said]).toEqual([path, 500, '1', 'false', '0'])
    }
    const malformed = await ask(target, 'GET /v1/session/list?index=x')
    expect([malformed.status, malformed.headers.has('x-svc-index')]).toEqual([400, false])
  })

  it('[HTP-011] names of the own datacenter, nearness, metadata and tags choose what is read', async () => {
    const nodes = async (query: string): Promise<unknown[]> =>
      (await list(`/v1/catalog/nodes?${query}`)).map(({ Node }) => Node)
    const all = await nodes('')
    expect(all).toEqual(expect.arrayContaining(['ext-1', 'ext-2', 'node-a']))
    expect(await nodes('dc=dc1')).toEqual(all)
    expect(await nodes('node-meta=rack:r1')).toEqual(['ext-1'])
    expect(await nodes('node-meta=rack:r1&node-meta=rack:r2')).toEqual([])
    expect((await nodes('near=nobody')).toSorted()).toEqual(all.toSorted())
    expect(await nodes('near=_agent')).toHaveLength(all.length)
    expect(await list('/v1/catalog/service/far?tag=a')).toHaveLength(2)
    expect(await list('/v1/catalog/service/far?tag=a&tag=b')).toEqual([])
  })

  it('[HTP-011] JSON is indented where that is asked for, and the same otherwise', async () => {
    const plain = await ask(target, 'GET /v1/catalog/services')
    const pretty = await ask(target, 'GET /v1/catalog/services?pretty')
    expect(plain.text).not.toContain('\n')
    expect(pretty.text).toMatch(/^\{\n {4}"/)
    expect(pretty.json()).toEqual(plain.json())
  })

  it('[HTP-011] an answer is cached for callers that ask for a cached one', async () => {
    const first = await ask(target, 'GET /v1/health/service/far?cached')
    const second = await ask(target, 'GET /v1/health/service/far?cached')
    expect([first.headers.get('x-cache'), first.headers.has('age')]).toEqual(['MISS', false])
    expect(second.headers.get('x-cache')).toBe('HIT')
    expect(second.headers.get('age')).toMatch(/^\d+$/)
    expect(second.text).toBe(first.text)
    expect((await ask(target, 'GET /v1/health/service/far')).headers.has('x-cache')).toBe(false)
  })

  it('[HTP-011] an answer may be compressed for callers that accept that', async () => {
    await ask(target, 'PUT /v1/kv/long', 'x'.repeat(5_000))
    const headers = [['Accept-Encoding', 'gzip']] as const
    const request = { method: 'GET', target: '/v1/kv/long', headers, body: undefined, timeoutMs: 30_000, stream: false }
    const answer = await target.until(target.begin(request))
    if (answer.kind === 'error') throw new Error(answer.error)
    const named = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]))
    const compressed = named.get('content-encoding') === 'gzip'
    const bytes = compressed ? gunzipSync(answer.body) : answer.body
    expect(named.get('vary')).toBe('Accept-Encoding')
    expect(Buffer.from(bytes).toString()).toBe((await ask(target, 'GET /v1/kv/long')).text)
    expect(compressed).toBe(_name === 'on real sockets')
  })

  it.each(refusals)('[HTP-062] %s is refused in one line', async (line, body, status, text) => {
    const reply = await ask(target, line, body)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect(reply.headers.get('content-type')).toBe(text === '' ? undefined : textType)
  })

  it('[HTP-062] what does not hold in a transaction is told as JSON, and malformed JSON in one line', async () => {
    const operations = [{ KV: { Verb: 'get', Key: 'none' } }]
    const rolledBack = await ask(target, 'PUT /v1/txn', JSON.stringify(operations))
    expect([rolledBack.status, rolledBack.headers.get('content-type')]).toEqual([409, 'application/json'])
    expect((rolledBack.json() as ExactObject)['Errors']).toHaveLength(1)
    for (const path of ['agent/service/register', 'agent/check/register', 'catalog/register', 'session/create']) {
      const reply = await ask(target, `PUT /v1/${path}`, '{"Name":')
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 400, textType])
      expect(reply.text, path).toMatch(/^[^\n]+$/)
    }
  })

  it('[HTP-063] each registration takes what it documents, and shows it again', async () => {
    const service = {
      ID: 'full-1',
      Name: 'full',
      Tags: ['a', 'b'],
      Address: '10.9.0.2',
      Port: 81,
      Meta: { k: 'v' },
      Weights: { Passing: 3, Warning: 2 },
      EnableTagOverride: true,
      Check: { CheckID: 'full-check', Name: 'of full', Notes: 'n', TTL: '1h', Status: 'passing' },
    }
    expect((await ask(target, 'PUT /v1/agent/service/register', JSON.stringify(service))).status).toBe(200)
    const check = { ID: 'more', Name: 'more of full', Notes: 'm', ServiceID: 'full-1', TTL: '1h', Status: 'warning' }
    expect((await ask(target, 'PUT /v1/agent/check/register', JSON.stringify(check))).status).toBe(200)
    const { Check: _check, Name, ...shown } = service
    const local = (await ask(target, 'GET /v1/agent/services')).json() as ExactObject
    expect(plainOf(local['full-1'])).toMatchObject({ ...shown, Service: Name })
    const [entry] = await list('/v1/health/service/full')
    expect(plainOf(entry?.['Service'])).toMatchObject({ ...shown, Service: Name })
    const checks = ((entry?.['Checks'] ?? []) as readonly ExactObject[]).filter(
      ({ ServiceID }) => ServiceID === 'full-1',
    )
    expect(checks.map(({ CheckID, Name: name, Notes, Status }) => [CheckID, name, Notes, Status])).toEqual([
      ['full-check', 'of full', 'n', 'passing'],
      ['more', 'more of full', 'm', 'warning'],
    ])
    const external = {
      ID: '11111111-0000-4000-8000-000000000009',
      Node: 'ext-3',
      Address: '10.9.0.3',
      TaggedAddresses: { lan: '10.9.0.3', wan: '192.0.2.3' },
      NodeMeta: { rack: 'r3' },
      Service: { ID: 'db-1', Service: 'db', Tags: ['t'], Address: '10.9.0.4', Port: 5432, Meta: { k: 'w' } },
      Check: { CheckID: 'c2', Name: 'of the node', Status: 'passing', Notes: 'z', Output: 'w', ServiceID: '' },
      Checks: [{ CheckID: 'c1', Name: 'c one', Status: 'warning', Notes: 'x', Output: 'y', ServiceID: 'db-1' }],
    }
    expect((await ask(target, 'PUT /v1/catalog/register', JSON.stringify(external))).status).toBe(200)
    const [instance] = await list('/v1/health/service/db')
    const { Node: Name3, ID, Address, TaggedAddresses, NodeMeta, Service, Check, Checks } = external
    expect(plainOf(instance)).toMatchObject({
      Node: { ID, Node: Name3, Address, TaggedAddresses, Meta: NodeMeta },
      Service,
      Checks: [Check, ...Checks],
    })
  })
})

/** With the numbers of JavaScript, where exact ones were read. */
function plainOf(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? Number(member) : member)),
  )
}
