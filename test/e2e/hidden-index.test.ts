import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import {
  commonLeader,
  eventually,
  freePorts,
  makeWorkplace,
  quickGossip,
  RealAgent,
  writeConfig,
} from './real-agent.ts'

const master = '5f0c8d1e-3a44-4c1b-9d53-0c2b7f6a9e11'
const unknownId = '0b4a2d1c-9f3e-4d5b-8a6f-2e3d4c5b6a79'
const few = `
key_prefix "open/" { policy = "read" }
service "open" { policy = "read" }
node "shop" { policy = "read" }
`

/** Of no other test. Three servers of the primary datacenter, and one of another. */
const hosts = { s1: '127.0.89.1', s2: '127.0.89.2', s3: '127.0.89.3', d1: '127.0.89.4' } as const
type Name = keyof typeof hosts

const workplace = makeWorkplace()
const agents = new Map<Name, RealAgent>()
/** The token that may see little. */
let token = ''
let hiddenSession = ''
let hiddenQuery = ''
let ways: readonly Way[] = []

/** One way to ask for what a datacenter holds. */
interface Way {
  readonly what: string
  readonly agent: RealAgent
  readonly query: string
  /** Whose state is asked for. */
  readonly of: 'dc1' | 'dc2'
}

interface Said {
  readonly status: number
  readonly body: string
  readonly index: number
}

function agent(name: Name): RealAgent {
  const found = agents.get(name)
  if (found === undefined) throw new Error(`${name} was not started`)
  return found
}

async function start(): Promise<void> {
  const ports = { ...(await freePorts()), serf_wan: await freePort() }
  for (const name of Object.keys(hosts) as Name[]) {
    const isPrimary = name !== 'd1'
    const config = {
      node_name: name,
      datacenter: isPrimary ? 'dc1' : 'dc2',
      server: true,
      bootstrap_expect: isPrimary ? 3 : 1,
      data_dir: join(workplace.path, name),
      bind_addr: hosts[name],
      client_addr: hosts[name],
      ports,
      performance: { raft_multiplier: 1 },
      gossip_lan: quickGossip,
      gossip_wan: quickGossip,
      retry_join: isPrimary ? [hosts.s1, hosts.s2, hosts.s3] : [],
      retry_interval: '200ms',
      ...(isPrimary ? {} : { retry_join_wan: [hosts.s1], retry_interval_wan: '200ms' }),
      primary_datacenter: 'dc1',
      acl: {
        enabled: true,
        default_policy: 'deny',
        policy_ttl: '1s',
        token_ttl: '1s',
        tokens: { agent: master, ...(isPrimary ? { master } : {}) },
      },
    }
    const file = writeConfig(workplace.path, `${name}.json`, config)
    agents.set(name, new RealAgent(`${hosts[name]}:${ports.http}`, [`-config-file=${file}`]))
  }
}

function withQuery(path: string, ...parts: readonly string[]): string {
  const query = parts.filter((part) => part !== '').join('&')
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

/** What the operator writes, in each datacenter. */
async function write(method: string, path: string, body: object | string): Promise<void> {
  for (const dc of ['dc1', 'dc2']) {
    // Writes to the catalog name the datacenter in their body, others in their query.
    const text = typeof body === 'string' ? body : JSON.stringify({ Datacenter: dc, ...body })
    const answer = await agent('s1').request(method, withQuery(path, `dc=${dc}`, `token=${master}`), text)
    expect([path, dc, answer.status, await answer.text()]).toEqual([path, dc, 200, 'true'])
  }
}

function register(node: string, service: string, port: number): Promise<void> {
  const Check = { Node: node, CheckID: `${service}-1`, ServiceID: service, Name: service, Status: 'passing' }
  return write('PUT', '/v1/catalog/register', {
    Node: node,
    Address: '10.7.0.1',
    Service: { Service: service, Port: port },
    Check,
  })
}

/** As the caller that may see little, or with another token. */
async function ask(way: Way, path: string, as = token, signal?: AbortSignal): Promise<Said> {
  const line = withQuery(path, way.query, `token=${as}`)
  const answer = await fetch(`http://${way.agent.address}${line}`, signal === undefined ? {} : { signal })
  const body = await answer.text()
  return { status: answer.status, body, index: Number(answer.headers.get('x-svc-index') ?? Number.NaN) }
}

/** Waits until the state that each way shows has everything that the operator wrote. */
async function caughtUp(): Promise<void> {
  const mark = String(performance.now())
  await write('PUT', '/v1/kv/hidden/mark', mark)
  for (const way of ways) {
    await eventually(`${way.what} to have the last write`, async () =>
      (await ask(way, '/v1/kv/hidden/mark?raw', master)).body === mark ? true : undefined,
    )
  }
}

/** Names that exist and are hidden, and names of the same kind that never existed. */
function hiddenNames(of: Way['of']): readonly (readonly [hidden: string, never: string])[] {
  const [session, query] = of === 'dc1' ? [hiddenSession, hiddenQuery] : [unknownId, unknownId]
  return [
    ['/v1/kv/hidden/a', '/v1/kv/never/a'],
    ['/v1/kv/hidden/?recurse', '/v1/kv/never/?recurse'],
    ['/v1/kv/hidden/?keys', '/v1/kv/never/?keys'],
    ['/v1/catalog/service/secret', '/v1/catalog/service/never'],
    ['/v1/catalog/connect/secret', '/v1/catalog/connect/never'],
    ['/v1/catalog/node/vault', '/v1/catalog/node/never'],
    ['/v1/health/service/secret', '/v1/health/service/never'],
    ['/v1/health/checks/secret', '/v1/health/checks/never'],
    ['/v1/health/node/vault', '/v1/health/node/never'],
    ['/v1/session/node/vault', '/v1/session/node/never'],
    [`/v1/session/info/${session}`, `/v1/session/info/${unknownId}`],
    [`/v1/query/${query}`, `/v1/query/${unknownId}`],
  ]
}

/**
 * Other rows change meanwhile, such as those of the agents: only two equal answers about the unknown name frame one.
 */
async function framed(way: Way, hidden: string, never: string): Promise<readonly [Said, Said]> {
  return eventually(`two equal answers of ${way.what} to ${never}`, async () => {
    const before = await ask(way, never)
    const between = await ask(way, hidden)
    const after = await ask(way, never)
    return JSON.stringify(before) === JSON.stringify(after) ? ([between, after] as const) : undefined
  })
}

async function expectNothingTold(): Promise<void> {
  await caughtUp()
  for (const way of ways) {
    for (const [hidden, never] of hiddenNames(way.of)) {
      const [said, ofNever] = await framed(way, hidden, never)
      const named = (text: string): string => text.replaceAll('never', 'X').replaceAll(/vault|secret|hidden/g, 'X')
      expect([way.what, hidden, said.status, said.index, named(said.body)]).toEqual([
        way.what,
        hidden,
        ofNever.status,
        ofNever.index,
        named(ofNever.body),
      ])
    }
  }
}

/** A read that waits. */
class Parked {
  readonly way: Way
  readonly #gone = new AbortController()
  readonly answer: Promise<Said | undefined>
  said: Said | undefined

  constructor(way: Way, path: string, index: number) {
    this.way = way
    this.answer = ask(way, withQuery(path, `index=${index}`, 'wait=60s'), token, this.#gone.signal).then(
      (said) => {
        this.said = said
        return said
      },
      () => undefined,
    )
  }

  close(): void {
    this.#gone.abort()
  }
}

async function park(path: string): Promise<readonly Parked[]> {
  const parked: Parked[] = []
  for (const way of ways) {
    const { index } = await ask(way, path)
    expect(index, `${way.what}: ${path}`).toBeGreaterThan(0)
    parked.push(new Parked(way, path, index))
  }
  return parked
}

beforeAll(async () => {
  await start()
  const leader = await commonLeader([agent('s1'), agent('s2'), agent('s3')])
  const leads = (['s1', 's2', 's3'] as const).find((name) => leader.startsWith(`${hosts[name]}:`)) ?? 's1'
  const follows = leads === 's2' ? 's3' : 's2'
  await eventually('the new kind of access control, in both', async () => {
    for (const name of ['s1', 'd1'] as const)
      if ((await agent(name).request('GET', `/v1/acl/policies?token=${master}`)).status !== 200) return undefined
    return true
  })
  const of = (what: string, name: Name, query: string, dc: Way['of'] = 'dc1'): Way => {
    return { what, agent: agent(name), query, of: dc }
  }
  ways = [
    of('the leader', leads, ''),
    of('the leader, ?stale', leads, 'stale'),
    of('a follower', follows, ''),
    of('a follower, ?stale', follows, 'stale'),
    of('a follower, ?consistent', follows, 'consistent'),
    of('the other datacenter, ?dc=dc1', 'd1', 'dc=dc1'),
    of('the other datacenter, ?dc=dc1&stale', 'd1', 'dc=dc1&stale'),
    of('the other datacenter, ?dc=dc1&consistent', 'd1', 'dc=dc1&consistent'),
    of('the other datacenter of itself', 'd1', '', 'dc2'),
    of('a follower, ?dc=dc2', follows, 'dc=dc2', 'dc2'),
    of('a follower, ?dc=dc2&stale', follows, 'dc=dc2&stale', 'dc2'),
  ]
  const root = (method: string, path: string, body: object) =>
    agent('s1').request(method, withQuery(path, `token=${master}`), JSON.stringify(body))
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await root('PUT', path, body)
    expect([path, answer.status]).toEqual([path, 200])
    return ((await answer.json()) as { ID: string }).ID
  }
  const policy = await made('/v1/acl/policy', { Name: 'few', Rules: few })
  const given = await root('PUT', '/v1/acl/token', { Policies: [{ ID: policy }] })
  token = ((await given.json()) as { SecretID: string }).SecretID
  await eventually('the other datacenter to be reached', async () => {
    const answer = await agent('s1').request('GET', `/v1/catalog/nodes?dc=dc2&token=${master}`)
    return answer.status === 200 ? true : undefined
  })
  await register('vault', 'secret', 1)
  await register('shop', 'open', 1)
  await write('PUT', '/v1/kv/hidden/a', '1')
  await write('PUT', '/v1/kv/open/a', '1')
  hiddenSession = await made('/v1/session/create', { Node: 'vault', Checks: [] })
  const query = await root('POST', '/v1/query', { Name: 'secret', Service: { Service: 'secret' } })
  hiddenQuery = ((await query.json()) as { ID: string }).ID
  for (const way of ways) {
    await eventually(`the token to be known to ${way.what}`, async () =>
      (await ask(way, '/v1/kv/open/a?raw')).body === '1' ? true : undefined,
    )
  }
}, 120_000)

afterAll(async () => {
  await Promise.all([...agents.values()].map((each) => each.stop('SIGKILL')))
  workplace.remove()
})

describe('a caller that may see little, at whichever server, consistency and datacenter it asks', () => {
  it('is told the same of what is hidden as of what never existed, before and after it changes', async () => {
    await expectNothingTold()
    for (let value = 2; value < 5; value++) {
      await write('PUT', '/v1/kv/hidden/a', String(value))
      await register('vault', 'secret', value)
    }
    await expectNothingTold()
    await write('DELETE', '/v1/kv/hidden/a', '')
    await write('PUT', '/v1/catalog/deregister', { Node: 'vault' })
    await register('vault', 'secret', 9)
    await write('PUT', '/v1/kv/hidden/a', '9')
    await expectNothingTold()
  }, 120_000)

  it('waits through changes of what is hidden, and is answered by one that it may see', async () => {
    const [keys, key, health, hiddenKeys, hiddenHealth] = await Promise.all([
      park('/v1/kv/?keys'),
      park('/v1/kv/open/a'),
      park('/v1/health/service/open'),
      park('/v1/kv/hidden/?recurse'),
      park('/v1/health/service/secret'),
    ])
    const hidden = [...hiddenKeys, ...hiddenHealth]
    const all = [...keys, ...key, ...health, ...hidden]
    try {
      for (let value = 10; value < 13; value++) {
        await write('PUT', '/v1/kv/hidden/a', String(value))
        await write('PUT', `/v1/kv/hidden/${value}`, 'new')
        await register('vault', 'secret', value)
      }
      await caughtUp()
      // What the changes woke would be answered before a read that is asked after them.
      for (const way of ways) await ask(way, '/v1/kv/open/a')
      expect(all.filter(({ said }) => said !== undefined).map(({ way, said }) => [way.what, said])).toEqual([])
      await write('PUT', '/v1/kv/open/b', 'new')
      await write('PUT', '/v1/kv/open/a', '2')
      await register('shop', 'open', 2)
      for (const each of [...keys, ...key, ...health]) {
        const said = await each.answer
        expect([each.way.what, said?.status]).toEqual([each.way.what, 200])
        expect([each.way.what, said?.body]).not.toEqual([each.way.what, expect.stringContaining('hidden')])
      }
      for (const { way, said } of key) {
        const [row] = JSON.parse(said?.body ?? '[]') as { ModifyIndex: number }[]
        expect([way.what, said?.index]).toEqual([way.what, row?.ModifyIndex])
      }
      expect(hidden.filter(({ said }) => said !== undefined).map(({ way, said }) => [way.what, said])).toEqual([])
    } finally {
      for (const each of all) each.close()
    }
  }, 120_000)

  it('is answered when its rights change, and its index does not fall', async () => {
    const path = '/v1/kv/hidden/?recurse'
    const hidden = await park(path)
    const before = await Promise.all(ways.map((way) => ask(way, path)))
    try {
      const policies = (await (await agent('s1').request('GET', `/v1/acl/policies?token=${master}`)).json()) as {
        ID: string
        Name: string
      }[]
      const id = policies.find(({ Name }) => Name === 'few')?.ID ?? ''
      const Rules = `${few}key_prefix "hidden/" { policy = "read" }`
      const changed = await agent('s1').request(
        'PUT',
        withQuery(`/v1/acl/policy/${id}`, `token=${master}`),
        JSON.stringify({ ID: id, Name: 'few', Rules }),
      )
      expect(changed.status).toBe(200)
      // Servers of the primary datacenter have the policy in their own state; others learn of it within policy_ttl.
      for (const each of hidden.filter(({ way }) => way.of === 'dc1')) {
        expect([each.way.what, (await each.answer)?.status]).toEqual([each.way.what, 200])
      }
      for (const [at, way] of ways.entries()) {
        const said = await eventually(`${way.what} to show what was hidden`, async () => {
          const answer = await ask(way, path)
          return answer.status === 200 ? answer : undefined
        })
        expect(said.index, way.what).toBeGreaterThanOrEqual(before[at]?.index ?? 0)
      }
    } finally {
      for (const each of hidden) each.close()
    }
  }, 120_000)
})
