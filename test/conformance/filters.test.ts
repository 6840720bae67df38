import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin, type Reply } from './ask.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

/** A path that takes a filter, one, and what is left: the values of a member, or the keys of a map. */
const cases: readonly (readonly [path: string, filter: string, left: readonly string[], member: string])[] = [
  ['/v1/catalog/nodes', 'Meta.zone == a', ['f1'], 'Node'],
  ['/v1/catalog/nodes', 'Node matches "^f" and Meta["zone"] != a', ['f2', 'f3'], 'Node'],
  ['/v1/catalog/services', 'ServiceTags contains canary', ['web'], 'names'],
  ['/v1/catalog/services', 'ServiceKind == "connect-proxy" and NodeMeta.zone == b', ['web-proxy'], 'names'],
  ['/v1/catalog/services?node-meta=zone:a', 'ServicePort == 8080', [], 'names'],
  ['/v1/catalog/service/web', 'ServicePort == 8080 or "canary" in ServiceTags', ['web-f2', 'web-f3'], 'ServiceID'],
  ['/v1/catalog/service/web', 'not zone in NodeMeta or ServiceWeights.Passing == 7', [], 'ServiceID'],
  ['/v1/catalog/connect/web', 'ServiceProxy.Upstreams.LocalBindPort == 9191', ['proxy'], 'ServiceID'],
  ['/v1/catalog/connect/web', 'ServiceProxy.Upstreams is empty', ['bare'], 'ServiceID'],
  ['/v1/health/node/f1', 'Status != passing', ['check'], 'CheckID'],
  ['/v1/health/checks/web', 'Output contains `timed out` and canary in ServiceTags', ['check'], 'CheckID'],
  ['/v1/health/service/web', 'Service.Meta.version == "2"', ['f2'], 'Node.Node'],
  ['/v1/health/service/web', 'Checks.Status == critical', ['f1'], 'Node.Node'],
  ['/v1/health/service/web', 'not Checks.Status == critical', ['f2', 'f3'], 'Node.Node'],
  [
    '/v1/health/service/web?passing',
    'Service.EnableTagOverride == false and Service.Port == 8080',
    ['f2'],
    'Node.Node',
  ],
  ['/v1/health/connect/web', 'Service.Port == 90', ['f3'], 'Node.Node'],
  ['/v1/health/state/any', 'Node == f1 and ModifyIndex != 0', ['check', 'own'], 'CheckID'],
  ['/v1/internal/ui/nodes', 'Services.Service == web and Checks.Status != passing', ['f1'], 'Node'],
  ['/v1/internal/ui/services', 'Service.Service == web and Checks.Status == critical', ['web'], 'Name'],
  ['/v1/connect/intentions', 'Action == deny or Precedence == 2', ['blog'], 'SourceName'],
  ['/v1/acl/policies', 'Name == "reads-web"', ['reads-web'], 'Name'],
  ['/v1/acl/tokens', 'Policies.Name == "reads-web"', ['reads web'], 'Description'],
  ['/v1/agent/services', 'Port == 81 and Meta is not empty', ['mine'], ''],
  ['/v1/agent/checks', 'ServiceName == mine', ['service:mine'], ''],
  ['/v1/catalog/node/f3', 'Kind == "connect-proxy"', ['proxy'], ''],
]

describe('a filter in the query', () => {
  let agent: SimulatedAgent
  let reader = ''

  beforeAll(async () => {
    agent = await startSimulatedAgent('acl')
    for (let tries = 0; (await asked('/v1/acl/token/self')).status !== 200; tries++) {
      if (tries > 100) throw new Error('there is no master token')
      await agent.target.pause(100)
    }
    await register('f1', { zone: 'a' }, { Port: 80, Tags: ['a'] }, 'critical')
    await register('f2', { zone: 'b' }, { Port: 8080, Meta: { version: '2' } }, 'passing')
    await register('f3', { zone: 'b' }, { Port: 80, Tags: ['canary'] }, 'passing')
    const settings = { DestinationServiceName: 'web', Upstreams: [{ DestinationName: 'db', LocalBindPort: 9191 }] }
    const proxy = { ID: 'proxy', Service: 'web-proxy', Kind: 'connect-proxy', Port: 90, Proxy: settings }
    await put('/v1/catalog/register', { Node: 'f3', SkipNodeUpdate: true, Service: proxy })
    await put('/v1/agent/service/register', { Name: 'mine', Port: 81, Meta: { a: 'b' }, Check: { TTL: '90s' } })
    const bare = { ...proxy, ID: 'bare', Port: 91, Proxy: { DestinationServiceName: 'web' } }
    await put('/v1/catalog/register', { Node: 'f2', SkipNodeUpdate: true, Service: bare })
    await put('/v1/agent/service/register', { Name: 'other', Port: 82, Check: { TTL: '90s' } })
    for (const [SourceName, Action] of [
      ['blog', 'deny'],
      ['*', 'allow'],
    ]) {
      await put('/v1/connect/intentions', { SourceName, DestinationName: 'web', Action }, 'POST')
    }
    const Rules = 'service "web" { policy = "read" } node "f2" { policy = "read" }'
    await put('/v1/acl/policy', { Name: 'reads-web', Rules })
    const token = { Description: 'reads web', Policies: [{ Name: 'reads-web' }] }
    reader = (JSON.parse(await put('/v1/acl/token', token)) as { SecretID: string }).SecretID
  })
  afterAll(() => agent.stop())

  const asked = (path: string, filter?: string, token = 'root'): Promise<Reply> => {
    const given = filter === undefined ? '' : `&filter=${encodeURIComponent(filter)}`
    return ask(agent.target, `GET ${path}${path.includes('?') ? '&' : '?'}token=${token}${given}`)
  }

  async function put(path: string, body: object, method = 'PUT'): Promise<string> {
    const { status, text } = await ask(agent.target, `${method} ${path}?token=root`, JSON.stringify(body))
    expect(status, text).toBe(200)
    return text
  }

  /** An instance of `web` with a check of its own; its node has one, too. */
  async function register(Node: string, NodeMeta: object, facts: object, Status: string): Promise<void> {
    const Service = { ID: `web-${Node}`, Service: 'web', Tags: ['b'], ...facts }
    const Checks = [
      { CheckID: 'own', Name: 'node', Status: 'passing' },
      { CheckID: 'check', Name: 'web', ServiceID: `web-${Node}`, Status, Output: `${Status}: timed out` },
    ]
    await put('/v1/catalog/register', { Node, Address: '10.9.9.9', NodeMeta, Service, Checks })
  }

  function leftIn({ text, status }: Reply, member: string): readonly unknown[] {
    expect(status, text).toBe(200)
    const json: unknown = JSON.parse(text)
    if (member === 'names') return Object.keys(json as object)
    if (member === '') return Object.keys((json as { Services?: object }).Services ?? (json as object))
    const one = (entry: unknown) => member.split('.').reduce((of, name) => (of as Record<string, unknown>)[name], entry)
    return (json as unknown[]).map(one)
  }

  /** Of a node its services: no filter removes the node itself. */
  function entriesIn({ text }: Reply): unknown {
    const json = JSON.parse(text) as { readonly Services?: object }
    return json.Services ?? json
  }

  it.each(cases)('%s keeps what %s says', async (path, filter, left, member) => {
    const all = leftIn(await asked(path), member)
    const some = leftIn(await asked(path, filter), member)
    expect(some).toEqual(left)
    expect(all.length).toBeGreaterThan(left.length)
  })

  it('is refused where it names what no entry has, and told what there is', async () => {
    for (const path of new Set(cases.map(([each]) => each))) {
      const { status, text } = await asked(path, 'Nonsense == 1')
      expect(`${status} ${text}`, path).toMatch(
        /^400 Invalid filter at character 1: there is no selector "Nonsense"; there are: \w/,
      )
    }
    expect((await asked('/v1/health/service/web', 'Service.Tag == a')).text).toBe(
      'Invalid filter at character 9: "Service" has no member "Tag"; there are: Kind, ID, Service, Tags, Address, Meta, Port, Weights, EnableTagOverride, ProxyDestination, Proxy, Connect, CreateIndex, ModifyIndex',
    )
    expect((await asked('/v1/catalog/nodes', 'Node ==')).text).toBe(
      'Invalid filter at character 8: expected a value after "==", found the end of the filter',
    )
    expect(leftIn(await asked('/v1/catalog/service/web', ''), 'ServiceID')).toHaveLength(3)
  })

  it('applies to what the caller may see', async () => {
    expect(leftIn(await asked('/v1/catalog/nodes', 'Node != x', reader), 'Node')).toEqual(['f2'])
    expect(leftIn(await asked('/v1/health/service/web', 'Node.Node != f2', reader), 'Node.Node')).toEqual([])
    expect((await asked('/v1/acl/tokens', 'Local == false', reader)).status).toBe(403)
  })

  it.each([...new Map(cases.map((each) => [each[0], each])).values()])(
    '%s reveals nothing that it withholds without one, whatever is asked for',
    async (path, filter, _left, member) => {
      const all = await asked(path, undefined, reader)
      const some = await asked(path, `${filter} or not (${filter})`, reader)
      // What a node's members decide, only callers that may read the node are told.
      if (member === 'names') expect(leftIn(all, member)).toEqual(expect.arrayContaining([...leftIn(some, member)]))
      else expect([some.status, some.text]).toEqual([all.status, all.text])
    },
  )

  it('keeps the order of the entries, and works on a cached answer', async () => {
    const path = '/v1/health/service/web?cached'
    expect(leftIn(await asked(path, 'Node.Node == f2'), 'Node.Node')).toEqual(['f2'])
    const again = await asked(path, 'Node.Node != f2')
    expect(again.headers.get('x-cache')).toBe('HIT')
    expect(leftIn(again, 'Node.Node')).toEqual(['f1', 'f3'])
  })

  it('wakes a blocked read for a change of what it does not keep', async () => {
    const path = '/v1/catalog/service/web'
    const before = await asked(path, 'ServiceID == "web-f1"')
    const question = `GET ${path}?token=root&index=${before.index()}&wait=60s&filter=${encodeURIComponent('ServiceID == "web-f1"')}`
    const waiting = begin(agent.target, question)
    await agent.target.pause(1_000)
    await register('f2', { zone: 'b' }, { Port: 8080, Meta: { version: '3' } }, 'passing')
    const after = await agent.target.until(waiting)
    expect(after.index()).toBeGreaterThan(before.index())
    expect(leftIn(after, 'ServiceID')).toEqual(['web-f1'])
  })

  it('wakes every kind of blocked read once for one change, though it keeps nothing', async () => {
    const questions = [
      ['/v1/catalog/nodes', 'Node == none'],
      ['/v1/catalog/services', 'ServiceName == none'],
      ['/v1/catalog/node/f1', 'Service == none'],
      ['/v1/health/node/f1', 'Node == none'],
      ['/v1/health/checks/web', 'Node == none'],
      ['/v1/health/service/web', 'Node.Node == none'],
      ['/v1/health/state/any', 'Node == none'],
      ['/v1/internal/ui/nodes', 'Node == none'],
      ['/v1/internal/ui/services', 'Node.Node == none'],
    ] as const
    const waiting = []
    for (const [path, filter] of questions) {
      const before = await asked(path, filter)
      const query = `token=root&index=${before.index()}&wait=60s&filter=${encodeURIComponent(filter)}`
      waiting.push({ path, before, answer: begin(agent.target, `GET ${path}?${query}`) })
    }
    await agent.target.pause(1_000)
    await register('f1', { zone: 'a', rack: '1' }, { Port: 81, Tags: ['a'] }, 'warning')
    for (const { path, before, answer } of waiting) {
      const after = await agent.target.until(answer)
      expect(after.index(), path).toBeGreaterThan(before.index())
      expect([path, after.status, entriesIn(after)]).toEqual([path, 200, entriesIn(before)])
    }
  })
})
