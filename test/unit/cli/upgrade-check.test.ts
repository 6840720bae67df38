import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import { checkUpgrade } from '../../../src/cli/upgrade-check.ts'
import type { CheckedAgent, CheckedCluster, CheckedServer } from '../../../src/cli/upgrade-findings.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { parseRelease, type Release } from '../../../src/model/release.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(`${text} is no release`)
  return parsed
}

function server(at: number, of: string, rest: Partial<CheckedServer> = {}): CheckedServer {
  const well = { status: 'alive', raftProtocol: 3, leads: at === 1, voter: true, healthy: true, acls: undefined }
  const unread = { lastIndex: undefined, tags: {} }
  return { name: `s${at}`, release: release(of), ...well, ...unread, ...rest }
}

function client(at: number, of: string, status = 'alive'): CheckedAgent {
  return { name: `c${at}`, release: release(of), status }
}

function cluster(rest: Partial<CheckedCluster> & Pick<CheckedCluster, 'servers'>): CheckedCluster {
  return { datacenter: 'dc1', clients: [], strays: [], otherDatacenters: [], unread: [], ...rest }
}

const three = (of: string, rest: Partial<CheckedServer> = {}): readonly CheckedServer[] =>
  [1, 2, 3].map((at) => server(at, of, rest))

function kindsOf(checked: CheckedCluster, to = '1.4.0'): { inTheWay: readonly string[]; notes: readonly string[] } {
  const { inTheWay, notes } = checkUpgrade(checked, release(to))
  return { inTheWay: inTheWay.map(({ kind }) => kind), notes: notes.map(({ kind }) => kind) }
}

describe('nothing is in the way', () => {
  it('of three servers that are well, of which the leader goes last', () => {
    const checked = cluster({ servers: three('1.1.0'), clients: [client(1, '1.1.0')] })
    expect(kindsOf(checked)).toEqual({ inTheWay: [], notes: ['leader-last', 'no-way-back'] })
    const [last] = checkUpgrade(checked, release('1.4.0')).notes
    expect(last).toEqual({ kind: 'leader-last', what: 's1 leads', remedy: 'upgrade it last of all servers' })
  })

  it('where all is done, and nothing is left to see to', () => {
    expect(kindsOf(cluster({ servers: three('1.4.0') }))).toEqual({ inTheWay: [], notes: [] })
  })

  it('of an upgrade that is under way', () => {
    const servers = [server(1, '1.1.0'), server(2, '1.4.0'), server(3, '1.4.0')]
    expect(kindsOf(cluster({ servers }))).toEqual({
      inTheWay: [],
      notes: ['leader-last', 'under-way', 'no-way-back'],
    })
  })

  it('of clients that are away, other datacenters, options of files, and few servers: they are reported', () => {
    const servers = [server(1, '1.0.0'), server(2, '1.0.0')]
    const rest = { clients: [client(1, '1.0.0', 'failed')], otherDatacenters: ['dc2'] }
    expect(kindsOf(cluster({ servers, ...rest }), '1.1.0')).toEqual({
      inTheWay: [],
      notes: ['leader-last', 'few-servers', 'clients-away', 'other-datacenters', 'options-refused'],
    })
  })

  it('of servers where the former access control is in force: it is reported', () => {
    expect(kindsOf(cluster({ servers: three('1.4.0', { acls: '2' }) }))).toEqual({
      inTheWay: [],
      notes: ['access-control-former'],
    })
    expect(kindsOf(cluster({ servers: three('1.4.0', { acls: '1' }) })).notes).toEqual([])
  })
})

describe('in the way is', () => {
  it.each<[string, CheckedCluster, string, readonly string[]]>([
    ['that somebody runs a later release', cluster({ servers: three('1.4.0') }), '1.3.1', ['downgrade']],
    [
      'that servers run several older ones',
      cluster({ servers: [server(1, '1.0.7'), server(2, '1.0.0'), server(3, '1.4.0')] }),
      '1.4.0',
      ['mixed-servers'],
    ],
    [
      'a client that is ahead of its servers',
      cluster({ servers: three('1.1.0'), clients: [client(1, '1.3.1')] }),
      '1.4.0',
      ['clients-ahead'],
    ],
    [
      'an agent that does not report its release',
      cluster({ servers: three('1.1.0'), clients: [{ ...client(1, '1.1.0'), release: undefined }] }),
      '1.4.0',
      ['build-unknown'],
    ],
    ['that nobody leads', cluster({ servers: three('1.1.0', { leads: false }) }), '1.4.0', ['no-leader']],
    [
      'a server that is gone, and with it what could be spared',
      cluster({ servers: [server(1, '1.1.0'), server(2, '1.1.0'), server(3, '1.1.0', { status: 'failed' })] }),
      '1.4.0',
      ['server-unreachable', 'no-quorum-margin'],
    ],
    [
      'one of five that is not healthy, though there are enough others',
      cluster({ servers: [...three('1.1.0'), server(4, '1.1.0'), server(5, '1.1.0', { healthy: false })] }),
      '1.4.0',
      ['server-unhealthy'],
    ],
    [
      'a server without a vote',
      cluster({ servers: [...three('1.1.0'), server(4, '1.1.0', { voter: false })] }),
      '1.4.0',
      ['server-without-vote'],
    ],
    [
      'a name in the consensus group that is nobody, and counts for the quorum',
      cluster({ servers: three('1.1.0'), strays: ['10.0.0.9:8300'] }),
      '1.4.0',
      ['stray-peer', 'no-quorum-margin'],
    ],
    ['a release between', cluster({ servers: three('0.5.0', { raftProtocol: 0 }) }), '0.6.0', ['release-between']],
    [
      'a protocol between agents that the old ones do not understand, and two releases that ask for one between',
      cluster({ servers: three('0.2.0', { raftProtocol: 0 }) }),
      '0.7.0',
      ['release-between', 'agent-protocol'],
    ],
    ['that the release is better left out', cluster({ servers: three('1.1.0') }), '1.3.0', ['better-left-out']],
    [
      'a Raft protocol that the new servers would not hear',
      cluster({ servers: three('0.6.4', { raftProtocol: 0 }) }),
      '0.8.0',
      ['raft-protocol-too-far'],
    ],
    [
      'servers whose Raft protocols are apart',
      cluster({ servers: [server(1, '1.0.0'), server(2, '1.0.0'), server(3, '1.0.0', { raftProtocol: 1 })] }),
      '1.4.0',
      ['raft-protocols-apart'],
    ],
    [
      'the new name of a single server',
      cluster({ servers: [server(1, '0.9.0', { raftProtocol: 2 })] }),
      '1.0.0',
      ['single-server-renamed'],
    ],
    [
      'access control that is on at some and off at others',
      cluster({ servers: [server(1, '1.4.0', { acls: '1' }), server(2, '1.4.0', { acls: '0' }), server(3, '1.4.0')] }),
      '1.4.0',
      ['access-control-apart'],
    ],
    [
      'what could not be read',
      cluster({ servers: three('1.1.0', { voter: undefined, leads: false, healthy: undefined }), unread: ['x'] }),
      '1.4.0',
      ['unread'],
    ],
  ])('%s', (_, checked, to, kinds) => {
    expect(kindsOf(checked, to).inTheWay).toEqual(kinds)
  })

  it('said with a way out: the protocol to begin with, and the release to take', () => {
    const remedy = (checked: CheckedCluster, to: string): string | undefined =>
      checkUpgrade(checked, release(to)).inTheWay[0]?.remedy
    expect(remedy(cluster({ servers: three('0.6.4', { raftProtocol: 0 }) }), '1.4.0')).toContain('raft_protocol to 1')
    expect(remedy(cluster({ servers: three('0.7.0', { raftProtocol: 1 }) }), '1.4.0')).toContain('raft_protocol to 2')
    expect(remedy(cluster({ servers: three('1.2.3') }), '1.3.0')).toContain('take 1.3.1 rather than 1.3.0')
    expect(remedy(cluster({ servers: three('0.4.0', { raftProtocol: 0 }) }), '1.4.0')).toContain('0.5.1 first')
  })
})

function member(name: string, at: number, build: string, role: string, status = 1): object {
  const tags = { role, build: `${build}:`, id: `id-${name}`, raft_vsn: '3', port: '8300' }
  return { Name: name, Addr: `10.0.0.${at}`, Port: 8301, Tags: tags, Status: status }
}

function peer(name: string, at: number, leader = false): object {
  const address = `10.0.0.${at}:8300`
  return { ID: `id-${name}`, Node: name, Address: address, Leader: leader, ProtocolVersion: '3', Voter: true }
}

const answers = {
  '/v1/agent/self': { Config: { NodeName: 's1', Datacenter: 'dc1', Version: '1.1.0' } },
  '/v1/agent/members': [
    member('c1', 9, '1.1.0', 'node'),
    member('s2', 2, '1.1.0', 'svc'),
    member('s1', 1, '1.1.0', 'svc'),
    member('s3', 3, '1.1.0', 'svc'),
  ],
  '/v1/operator/raft/configuration?stale=': { Servers: [peer('s1', 1), peer('s2', 2, true), peer('s3', 3)] },
  '/v1/operator/autopilot/health': { Servers: ['s1', 's2', 's3'].map((Name) => ({ Name, Healthy: true })) },
  '/v1/catalog/datacenters': ['dc1'],
}

/** Runs the command against an agent that answers so; a number is a status with a text. */
async function check(
  flags: readonly string[],
  given: Readonly<Record<string, unknown>> = answers,
): Promise<{ code: number; out: string; error: string }> {
  const request = async (_to: unknown, { target }: HttpClientRequest) => {
    const answer = given[target]
    const status = answer === undefined ? 404 : typeof answer === 'number' ? answer : 200
    return ok({ status, headers: new Map(), body: utf8(status === 200 ? JSON.stringify(answer) : 'refused') })
  }
  const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as Env
  const terminal = new FakeTerminal()
  const code = await runCli(['operator', 'upgrade', 'check', ...flags], env, terminal)
  return { code, out: terminal.written, error: terminal.complained }
}

describe('svc operator upgrade check', () => {
  it('says of a cluster that is well that nothing is in the way, and how to see the steps', async () => {
    expect(await check([])).toEqual({
      code: 0,
      error: '',
      out: [
        'Upgrade of dc1 to 1.4.0: 3 servers (1.1.0), 1 client (1.1.0).',
        'Needs attention:',
        '  - s2 leads: upgrade it last of all servers',
        '  - there is no way back from 1.4.0: save a snapshot first: svc snapshot save',
        'Nothing is in the way.',
        'The steps, and why: svc-sim plan --from 1.1.0 --to 1.4.0 --servers 3',
        '',
      ].join('\n'),
    })
  })

  it('exits with 2 when something is in the way', async () => {
    const members = [...answers['/v1/agent/members'].slice(0, 3), member('s3', 3, '1.1.0', 'svc', 4)]
    const { code, out } = await check(['-to=1.3.1'], { ...answers, '/v1/agent/members': members })
    expect(code).toBe(2)
    expect(out).toContain('In the way:\n  - server s3 is failed: start it again')
    expect(out).toContain('In the way: 2.\n')
  })

  it('says the same to programs', async () => {
    const { code, out } = await check(['-to=1.3.0', '-format=json'])
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({
      Datacenter: 'dc1',
      From: '1.1.0',
      To: '1.3.0',
      Ready: false,
      InTheWay: [{ Kind: 'better-left-out' }],
      Notes: [{ Kind: 'leader-last' }],
      Servers: [
        { Name: 's1', Leader: false },
        { Name: 's2', Leader: true, Voter: true, Healthy: true },
        { Name: 's3' },
      ],
      Clients: [{ Name: 'c1', Release: '1.1.0', Status: 'alive' }],
    })
  })

  it('counts no member that left, and says that one is still in the consensus group', async () => {
    const gone = [member('s4', 4, '1.0.0', 'svc', 3), member('c2', 8, '1.0.0', 'node', 3)]
    const members = [...answers['/v1/agent/members'], ...gone]
    expect(await check([], { ...answers, '/v1/agent/members': members })).toEqual(await check([]))
    const json = await check(['-format=json'], { ...answers, '/v1/agent/members': members })
    expect(json.out).toBe((await check(['-format=json'])).out)
    const configuration = { Servers: [peer('s1', 1), peer('s2', 2, true), peer('s3', 3), peer('s4', 4)] }
    const still = { ...answers, '/v1/agent/members': members, '/v1/operator/raft/configuration?stale=': configuration }
    expect((await check([], still)).out).toContain(
      'the consensus group has id-s4, which belongs to no member of the pool',
    )
  })

  it('says that the token may not see all members, and calls none of those a stray', async () => {
    const explained = { AccessorID: 'a', Allowed: false, DecidedBy: 'default', Rule: '', Level: 'deny', Policy: '' }
    const denied = { ...answers, '/v1/acl/explain?resource=node&right=read': explained }
    const hidden = 'members may be hidden: the token lacks node_prefix "" { policy = "read" }'
    const some = await check([], { ...denied, '/v1/agent/members': answers['/v1/agent/members'].slice(1) })
    expect(some.code).toBe(2)
    expect(some.out).toContain(`In the way:\n  - ${hidden}: ask an agent that may know it, or with another token\n`)
    const two = await check([], { ...denied, '/v1/agent/members': answers['/v1/agent/members'].slice(1, 3) })
    expect(two.out).not.toContain('remove-peer')
    expect(await check([], { ...denied, '/v1/agent/members': [] })).toEqual({
      code: 1,
      out: '',
      error: `Error retrieving members: no server is among them; ${hidden}\n`,
    })
  })

  it('holds what may not be read for something in the way, and does without health where there is none', async () => {
    const refused = await check([], { ...answers, '/v1/operator/raft/configuration?stale=': 403 })
    expect(refused.code).toBe(2)
    expect(refused.out).toContain('the consensus group cannot be read: Unexpected response code: 403')
    expect((await check([], { ...answers, '/v1/operator/autopilot/health': 404 })).code).toBe(0)
  })

  it.each([
    [['-to=1.4'], 'There is no release "1.4": write one from 0.2.0 to 1.4.0'],
    [['-to=2.0.0'], 'There is no release "2.0.0"'],
    [['-format=xml'], 'There is no format "xml": write text or json'],
    [['dc1'], 'Too many arguments (expected 0, got 1)'],
  ])('refuses %j', async (flags, words) => {
    const { code, error } = await check(flags)
    expect(code).toBe(1)
    expect(error).toContain(words)
  })

  it('exits with 1 where nothing can be told', async () => {
    const { code, error } = await check([], {})
    expect([code, error]).toEqual([1, 'Error reading the agent: Unexpected response code: 404 (refused)\n'])
  })
})
