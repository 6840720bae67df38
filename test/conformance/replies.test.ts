import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isReply } from '../../src/features/contract/reply.ts'
import { newestRelease, type Release, releaseText } from '../../src/model/release.ts'
import { ask, type Reply } from './ask.ts'
import { argumentsOf, asOtherAgent, endpoints, requestOf, unknownId } from './endpoint-calls.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** Arguments that are drawn for each endpoint; servers of earlier releases answer most calls as the newest does. */
const turnsOf = (release: Release): number => (isLong ? 500 : release === newestRelease ? 20 : 8)

/** What changes something comes last: it may take away what others ask for. */
const readsFirst = [
  ...endpoints.filter(({ kind }) => kind === 'query'),
  ...endpoints.filter(({ kind }) => kind === 'server'),
  ...endpoints.filter(({ kind }) => kind === 'write'),
]

/**
 * Calls that need another datacenter, a payload, or two calls that belong together. These replies are checked wherever
 * an agent makes the call itself, as with every write: over HTTP all of them are in other files.
 */
const notHere = ['Internal.EventFire', 'PreparedQuery.ExecuteElsewhere', 'Snapshot.Next']

const releases: readonly Release[] = [newestRelease, { major: 1, minor: 2, patch: 0 }, { major: 0, minor: 7, patch: 0 }]

/** No endpoint is named here: one that is new is asked as well. */
describe.each(releases)('what a server answers to other agents, as release %j', (release) => {
  let agent: SimulatedAgent
  let texts: readonly string[]
  const isNewest = release === newestRelease

  const sent = async (line: string, body?: object | string): Promise<Reply> =>
    ask(
      agent.target,
      `${line}${line.includes('?') ? '&' : '?'}token=root`,
      typeof body === 'object' ? JSON.stringify(body) : body,
    )
  const made = async (line: string, body: object): Promise<string> => {
    const { text } = await sent(line, body)
    return /"ID": ?"([^"]+)"/.exec(text)?.[1] ?? unknownId
  }

  beforeAll(async () => {
    const acl = isNewest
      ? { acl: { enabled: true, default_policy: 'deny', tokens: { master: 'root', agent: 'root' } } }
      : {}
    const mesh = isNewest ? { connect: { enabled: true } } : {}
    agent = await startSimulatedAgent('default', { release, more: { primary_datacenter: 'dc1', ...acl, ...mesh } })
    await agent.target.pause(60_000)
    const web = { Service: 'web', Port: 80, Tags: ['a'], Meta: { m: '1' } }
    const check = { CheckID: 'c1', Name: 'c', Status: 'passing', Definition: { HTTP: 'http://x', Interval: '10s' } }
    await sent('PUT /v1/catalog/register', { Node: 'n1', Address: '10.9.0.1', Service: web, Check: check })
    const proxy = { Service: 'web-proxy', Kind: 'connect-proxy', Port: 81, Proxy: { DestinationServiceName: 'web' } }
    if (isNewest) await sent('PUT /v1/catalog/register', { Node: 'n1', Address: '10.9.0.1', Service: proxy })
    await sent('PUT /v1/agent/service/register', { Name: 'local', Check: { TTL: '10s' } })
    await sent('PUT /v1/kv/a?flags=18446744073709551615', 'x')
    await sent('PUT /v1/kv/b', 'y'.repeat(2_000))
    const session = await made('PUT /v1/session/create', { Node: 'n1', Checks: [], TTL: '3600s' })
    await sent(`PUT /v1/kv/lock?acquire=${session}`, 'z')
    const query = await made('POST /v1/query', { Name: 'q', Service: { Service: 'web', Near: 'n1' } })
    const intention = await made('POST /v1/connect/intentions', {
      SourceName: 'web',
      DestinationName: 'db',
      Action: 'allow',
    })
    const policy = await made('PUT /v1/acl/policy', { Name: 'p', Rules: 'key "a" { policy = "read" }' })
    const { text: token } = await sent('PUT /v1/acl/token', { Policies: [{ ID: policy }] })
    const ids = [...token.matchAll(/"(?:AccessorID|SecretID)": ?"([^"]+)"/g)].map(([, id]) => id ?? '')
    await agent.target.pause(30_000)
    // Not the secret of the caller, which some write would delete.
    texts = ['', 'dc1', 'n1', 'web', 'local', 'a', 'q', 'c1', 'passing', session, query, intention, policy, ...ids]
  })
  afterAll(() => agent.stop())

  it(`fits what the endpoint declares, in every case (${releaseText(release)})`, async () => {
    const strange = new Map<string, string>()
    const answered = new Set<string>()
    let sequence = 0
    for (const endpoint of readsFirst) {
      const given = [...argumentsOf(endpoint, texts, turnsOf(release)), ...texts.flatMap(wellFormed)]
      await asOtherAgent(agent, async (call) => {
        for (const args of given) {
          const request = requestOf(endpoint, args, { token: 'root', sequence: sequence++ })
          const answer = await call(endpoint.method, request)
          if (!answer.ok) continue
          const reply = endpoint.kind === 'query' ? (answer.value as { readonly value: unknown }).value : answer.value
          answered.add(endpoint.method)
          if (!isReply(endpoint, reply)) strange.set(endpoint.method, JSON.stringify(reply, bigText).slice(0, 500))
        }
      })
    }
    expect([...strange]).toEqual([])
    const unanswered = endpoints.filter(({ kind, method }) => kind !== 'write' && !answered.has(method))
    if (isNewest) expect(unanswered.map(({ method }) => method).sort()).toEqual(notHere)
  })
})

function bigText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

/** Arguments that drawing seldom comes upon, with names of things that are there. */
function wellFormed(text: string): readonly object[] {
  return [
    { node: text },
    { id: text },
    { accessor: text },
    { secret: text, datacenter: 'dc1' },
    { prefix: '', separator: '' },
    { key: text },
    { idOrName: text, segment: '', connect: false, origin: { node: 'n1', ip: '10.9.0.1', near: '' } },
    { service: text, tags: [], kind: '', connect: false },
  ]
}
