import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/base/result.ts'
import type { AskedAgent } from '../../../src/cli/checkup/agent-facts.ts'
import { checkCluster, exitCodeOf } from '../../../src/cli/checkup/check.ts'
import type { Facts } from '../../../src/cli/checkup/facts.ts'
import type { CheckedServer } from '../../../src/cli/upgrade-findings.ts'
import { parseRelease } from '../../../src/model/release.ts'
import { FakeApi } from './fake-api.ts'

const nowMs = Date.UTC(2026, 10, 28)
const release = parseRelease('1.4.0')
const older = parseRelease('1.3.1')

const root = {
  ID: 'r',
  Name: 'Root',
  Provider: 'svc',
  Active: true,
  Expires: '2036-01-01T00:00:00Z',
  Leaves: [],
  Goes: '',
}
const forecast = {
  ...{
    Now: '2026-11-28T00:00:00Z',
    State: 'ready',
    Problem: '',
    Provider: 'svc',
    TrustDomain: 't',
    LeafCertTTL: '72h',
  },
  ...{ LeafExpires: '2026-12-01T00:00:00Z', Roots: [root], Crossings: [], Rotation: null },
  RotationNow: {
    ...{ Possible: true, Why: '', Begins: '', Roots: 2, CertificatesOfLeaf: 2, OldRootGoes: '', LeavesHoldUntil: '' },
  },
}

function server(at: number, rest: Partial<CheckedServer> = {}): CheckedServer {
  const well = { status: 'alive', raftProtocol: 3, leads: at === 1, voter: true, healthy: true, acls: '1' }
  return { name: `s${at}`, release, lastIndex: 100, tags: { id: `id${at}`, raft_vsn: '3' }, ...well, ...rest }
}

function sample(name: string, Mean: number): object {
  return { Name: `svc.${name}`, Count: 3, Mean, Max: 2 * Mean }
}

function agent(at: number, rest: Partial<AskedAgent> = {}): AskedAgent {
  const name = at === 1 ? 'raft.leader.dispatchLog' : 'raft.rpc.appendEntries.storeLogs'
  return {
    name: `s${at}`,
    isServer: true,
    settings: { NodeID: `id${at}`, ConnectClockSkew: '1m0s', ACLsEnabled: true, ACLDefaultPolicy: 'deny' },
    stats: { serf_lan: { health_score: '0' }, tls: { certificate_expires: `2027-0${at}-01T00:00:00Z` } },
    clock: ok({ aheadMs: at * 10, errorMs: 2 }),
    metrics: ok({
      Counters: [],
      Samples: [sample(name, 4) as { Name: string; Count: number; Mean: number; Max: number }],
    }),
    ...rest,
  }
}

interface Changes {
  readonly servers?: readonly CheckedServer[]
  readonly clients?: Facts['cluster']['clients']
  readonly strays?: readonly string[]
  readonly asked?: readonly AskedAgent[]
}

function facts({
  servers = [1, 2, 3].map((at) => server(at)),
  clients = [],
  strays = [],
  asked,
  ...rest
}: Changes & Partial<Facts>): Facts {
  return {
    cluster: { datacenter: 'dc1', servers, clients, strays, otherDatacenters: [], unread: [] },
    asked: asked ?? [1, 2, 3].map((at) => agent(at)),
    unasked: [],
    forecast: ok(forecast),
    status: ok({ Mode: 'new', TokensLeft: 0 }),
    replication: ok({ Enabled: false, Running: false, LastError: '' }),
    keyrings: ok([{ WAN: false, Datacenter: 'dc1', Keys: { k: 3 }, NumNodes: 3 }]),
    ...rest,
  }
}

const client = (status: string, of = release) => ({ name: 'c1', release: of, status })
const withFirst = (first: Partial<AskedAgent>): readonly AskedAgent[] => [agent(1, first), agent(2), agent(3)]
const settings = (more: object): Partial<AskedAgent> => ({ settings: { ...agent(1).settings, ...more } })

describe('a cluster in which all is well', () => {
  it('is green in every item, and the command exits with 0', () => {
    const items = checkCluster(facts({}), nowMs)
    expect(items.filter(({ light }) => light !== 'green')).toEqual([])
    expect(items.map(({ item }) => item)).toEqual([
      ...['quorum', 'raft-lag', 'gossip', 'versions', 'configuration', 'clocks', 'disk-sync', 'certificates', 'mesh'],
      ...['access-control', 'tokens'],
    ])
    expect(items.every(({ says, remedy }) => says !== '' && remedy === '')).toBe(true)
    expect(exitCodeOf(items)).toBe(0)
  })
})

describe('one item changes its light', () => {
  it.each<[item: string, light: string, changed: Changes & Partial<Facts>, says: RegExp]>([
    ['quorum', 'yellow', { servers: [server(1)], asked: [agent(1)] }, /1 of 1 voters are healthy, and none may fail/],
    ['quorum', 'red', { servers: [server(1), server(2), server(3, { status: 'failed' })] }, /s3 is failed/],
    ['quorum', 'red', { servers: [1, 2, 3].map((at) => server(at, { leads: false })) }, /nothing can be written/],
    ['quorum', 'red', { strays: ['id9', 'id8'] }, /id9/],
    ['quorum', 'yellow', { servers: [1, 2, 3, 4, 5].map((at) => server(at, { voter: at < 5 })) }, /s5 has no vote/],
    ['quorum', 'unknown', { servers: [1, 2].map((at) => server(at, { voter: undefined })) }, /no server reports/],
    ['raft-lag', 'red', { servers: [server(1, { lastIndex: 900 }), server(2)] }, /s2 by 800/],
    ['raft-lag', 'yellow', { servers: [server(1, { lastIndex: 240 }), server(2)] }, /s2 by 140/],
    [
      'raft-lag',
      'unknown',
      { servers: [server(1, { lastIndex: undefined }), server(2)] },
      /the leader does not report/,
    ],
    ['gossip', 'red', { servers: [server(1), server(2), server(3, { status: 'failed' })] }, /these servers: s3/],
    ['gossip', 'yellow', { clients: [client('failed')] }, /does not reach: c1/],
    ['gossip', 'yellow', { asked: withFirst({ stats: { serf_lan: { health_score: '4' } } }) }, /answers reach s1 late/],
    [
      'gossip',
      'yellow',
      { keyrings: ok([{ WAN: false, Datacenter: 'dc1', Keys: { a: 3, secret: 2 }, NumNodes: 3 }]) },
      /in the LAN pool of dc1 2 of 3 members have key 2 of the keyring/,
    ],
    [
      'versions',
      'yellow',
      { servers: [server(1), server(2, { release: older })] },
      /different releases: s1 1.4.0, s2 1.3.1/,
    ],
    [
      'versions',
      'yellow',
      { servers: [server(1, { release: older })], clients: [client('alive')] },
      /clients are ahead/,
    ],
    ['versions', 'unknown', { servers: [server(1, { release: undefined })] }, /does not report its release/],
    [
      'configuration',
      'yellow',
      { asked: withFirst(settings({ RaftProtocol: 2 })) },
      /RaftProtocol is 2 at s1 and not set at s2, s3/,
    ],
    [
      'configuration',
      'yellow',
      { servers: [server(1), server(2, { tags: { raft_vsn: '2' } })] },
      /raft_vsn is 3 at s1 and 2 at s2/,
    ],
    ['configuration', 'unknown', { asked: [agent(1)] }, /the settings of s2, s3 are unknown/],
    [
      'clocks',
      'red',
      { asked: withFirst({ clock: ok({ aheadMs: 70_000, errorMs: 5 }) }) },
      /s1 is 70 s ahead of that of s2/,
    ],
    [
      'clocks',
      'yellow',
      { asked: withFirst({ clock: ok({ aheadMs: -20_000, errorMs: 5 }) }) },
      /s3 is 20 s ahead of that of s1/,
    ],
    [
      'clocks',
      'yellow',
      {
        asked: [1, 2, 3].map((at) =>
          agent(at, {
            ...settings({ ConnectClockSkew: '5m0s' }),
            clock: ok({ aheadMs: at === 1 ? 100_000 : 0, errorMs: 5 }),
          }),
        ),
      },
      /100 s ahead of that of s\d, of 300 s that the mesh allows/,
    ],
    ['clocks', 'unknown', { asked: withFirst({ clock: err('403') }) }, /agree within 0.0 s; unknown for s1/],
    ['clocks', 'unknown', { asked: [agent(1)] }, /only s1 was asked for its clock; unknown for s2, s3/],
    ['disk-sync', 'red', { asked: withFirst({ metrics: slow(600) }) }, /s1 600.0 ms, at most 1200 ms/],
    ['disk-sync', 'yellow', { asked: withFirst({ metrics: slow(60) }) }, /every write waits for slow disks/],
    ['disk-sync', 'unknown', { asked: withFirst({ metrics: ok({ Counters: [], Samples: [] }) }) }, /unknown for s1$/],
    [
      'certificates',
      'red',
      { asked: withFirst({ stats: expires('2026-11-27T00:00:00Z') }) },
      /that of s1 expired at 2026-11-27/,
    ],
    [
      'certificates',
      'yellow',
      { asked: withFirst({ stats: expires('2026-12-20T00:00:00Z') }) },
      /that of s1 expires at 2026-12-20/,
    ],
    [
      'certificates',
      'unknown',
      { asked: withFirst({ stats: expires('unknown') }) },
      /the certificate of s1 cannot be read/,
    ],
    ['mesh', 'red', { forecast: ok({ ...forecast, State: 'degraded', Problem: 'no room' }) }, /no room/],
    [
      'mesh',
      'yellow',
      { forecast: ok({ ...forecast, Roots: [{ ...root, Expires: '2026-12-20T00:00:00Z' }] }) },
      /the active root expires/,
    ],
    ['mesh', 'unknown', { forecast: err('403') }, /cannot be read: 403/],
    ['access-control', 'red', { servers: [server(1), server(2, { acls: '0' })] }, /on at s1, and off at s2/],
    ['access-control', 'yellow', { asked: withFirst(settings({ ACLsEnabled: false })) }, /access control is off/],
    ['access-control', 'yellow', { asked: withFirst(settings({ ACLReportOnly: true })) }, /only reports/],
    [
      'access-control',
      'yellow',
      { asked: withFirst(settings({ ACLDefaultPolicy: 'allow' })) },
      /allows what no rule denies/,
    ],
    ['access-control', 'yellow', { status: ok({ Mode: 'legacy', TokensLeft: 2 }) }, /former access control/],
    [
      'tokens',
      'yellow',
      {
        asked: withFirst({
          metrics: ok({ Counters: [{ Name: 'svc.acl.blocked.service.registration', Count: 1 }], Samples: [] }),
        }),
      },
      /servers refuse what s1 registers/,
    ],
    ['tokens', 'red', { replication: ok({ Enabled: true, Running: false, LastError: '' }) }, /do not arrive here/],
    ['tokens', 'yellow', { status: ok({ Mode: 'new', TokensLeft: 2 }) }, /2 legacy tokens/],
    ['tokens', 'unknown', { asked: withFirst({ metrics: err('403') }) }, /metrics of s1 cannot be read/],
  ])('%s is %s', (item, light, changed, says) => {
    const found = checkCluster(facts(changed), nowMs).find((each) => each.item === item)
    expect(found).toMatchObject({ light })
    expect(found?.says).toMatch(says)
    expect(found?.remedy).not.toBe('')
  })

  it.each<[code: number, changed: Changes & Partial<Facts>]>([
    [2, { servers: [server(1), server(2), server(3, { status: 'failed' })], clients: [client('failed')] }],
    [3, { clients: [client('failed')], forecast: err('403') }],
    [4, { forecast: err('403') }],
  ])('the command exits with %i', (code, changed) => {
    expect(exitCodeOf(checkCluster(facts(changed), nowMs))).toBe(code)
  })
})

function slow(mean: number): AskedAgent['metrics'] {
  return ok({ Counters: [], Samples: [{ Name: 'svc.raft.leader.dispatchLog', Count: 1, Mean: mean, Max: 2 * mean }] })
}

function expires(certificate_expires: string): AskedAgent['stats'] {
  return { serf_lan: { health_score: '0' }, tls: { certificate_expires } }
}

describe('svc operator check', () => {
  it('refuses another format and operands, and says when no agent can be read', async () => {
    const api = new FakeApi()
    expect((await api.run(['operator', 'check', '-format=xml'])).error).toContain(
      'There is no format "xml": write text or json',
    )
    expect((await api.run(['operator', 'check', 'x'])).code).toBe(1)
    expect(api.asked).toEqual([])
    const none = await api.run(['operator', 'check'])
    expect([none.code, none.out]).toEqual([1, ''])
    expect(none.error).toContain('Error reading the agent')
  })
})
