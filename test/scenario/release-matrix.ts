import {
  changes,
  internalProtocolsOf,
  isAtLeast,
  newestRelease,
  oldestRelease,
  type Release,
  type ReleaseChange,
  releaseText,
} from '../../src/model/release.ts'

/** Two releases of the table, one right after the other. */
export interface ReleasePair {
  readonly from: Release
  readonly to: Release
}

/** Every release that the table has rows for, oldest first. */
function releasesOfTable(): readonly Release[] {
  const rows = Object.values<ReleaseChange>(changes)
  const all = [oldestRelease, ...rows.flatMap(({ since, until }) => [since, until ?? since]), newestRelease]
  const sorted = all.sort((a, b) => (isAtLeast(a, b) ? 1 : -1))
  return sorted.filter((one, at) => at === 0 || !isAtLeast(sorted[at - 1] as Release, one))
}

/** Every pair of neighbours among them. */
export function adjacentPairs(): readonly ReleasePair[] {
  const releases = releasesOfTable()
  return releases.slice(1).map((to, at) => ({ from: releases[at] as Release, to }))
}

export function pairText({ from, to }: ReleasePair): string {
  return `${releaseText(from)} to ${releaseText(to)}`
}

/** Every order in which three servers can be upgraded. */
export const orders = ['s1 s2 s3', 's1 s3 s2', 's2 s1 s3', 's2 s3 s1', 's3 s1 s2', 's3 s2 s1'] as const

export type Order = (typeof orders)[number]

/** Sessions came with this one. */
const withSessions: Release = { major: 0, minor: 4, patch: 0 }

/**
 * A rolling upgrade as operators do it: one server at a time, the next when all is well again, then the client;
 * meanwhile keys are read and written, locks are contended for, and a service is kept alive. `mustRun`: no server may
 * stop at any moment; otherwise the next server's turn comes whatever has become of the others.
 */
export function rollingUpgrade({ from, to }: ReleasePair, order: Order, mustRun: boolean): string {
  const well =
    'eventually: { within: 30s, leader: exactly one, running: nodes, answer: { at: nodes, request: GET /v1/status/leader, body: /8300/ } }'
  // What those before do not understand is not spoken until all are upgraded.
  const spoken = internalProtocolsOf(from).spoken
  const asBefore = internalProtocolsOf(to).spoken === spoken ? '' : `, config: { protocol: ${spoken} }`
  const steps = order.split(' ').map(
    (server) => `  - step: ${server} is upgraded
    upgrade: { nodes: ${server}, to: ${releaseText(to)}${asBefore} }
  - step: all is well again
    ${mustRun ? well : 'wait: 3s'}
  - step: for a while
    wait: 5s..6s`,
  )
  return `scenario: From ${pairText({ from, to })}, ${order}
cluster:
  dc1:
    servers: { count: 3, release: ${releaseText(from)} }
    clients: { count: 1, release: ${releaseText(from)}, config: { services: [{ name: web, port: 80, check: { ttl: 20s, status: passing } }] } }
    config: { performance: { raft_multiplier: 1 } }
network: { latency: 1ms..5ms }
workload:
  shoppers: { clients: 2, at: servers, operations: [kv.get, kv.put, kv.cas, kv.delete], keys: 3, rate: 5/s, consistency: [default, consistent] }
heartbeats:
  webs: { at: c1, check: "service:web", every: 6s }
${isAtLeast(from, withSessions) ? 'locks:\n  contenders: { at: servers, contenders: 2, ttl: 10s, lock delay: 1s }\n' : ''}steps:
  - step: all is well
    ${well}
${steps.join('\n')}
  - step: the client is the last
    upgrade: { nodes: c1, to: ${releaseText(to)}${asBefore} }
  - step: all is well with all of them
    ${well}
${mustRun ? 'always:\n  - { running: servers }\n' : ''}`
}

/** The mesh came with this one. */
const withMesh: Release = { major: 1, minor: 2, patch: 0 }

/** A request with which something comes into the state, and under which name its answer is kept. */
function made(what: string, request: string, body: string, save = ''): string {
  const kept = save === '' ? '' : `, save: ${save}`
  return `  - step: ${what}
    http: { at: c1, request: "${request}", body: '${body}'${kept} }
    expect: { status: 200 }`
}

/** Something of everything that servers hold, as far as the release knows it. */
function somethingOfEach(from: Release): readonly string[] {
  const keys = [
    made('a key with flags', 'PUT /v1/kv/kept/flags?flags=42', 'blue'),
    made('a key that is changed', 'PUT /v1/kv/kept/changed', 'one'),
    made('once', 'PUT /v1/kv/kept/changed', 'two'),
    made(
      'a node that no agent runs on',
      'PUT /v1/catalog/register',
      '{"Node": "printer", "Address": "10.9.0.1", "Service": {"ID": "ipp-1", "Service": "ipp", "Tags": ["colour"], "Port": 631}, "Check": {"CheckID": "ink", "Name": "Ink", "Status": "warning", "ServiceID": "ipp-1"}}',
    ),
  ]
  const sessions = [
    made('a session', 'PUT /v1/session/create', '{"Name": "keeper", "LockDelay": "1s"}', 'session'),
    made('which holds a lock', 'PUT /v1/kv/kept/lock?acquire=${session.body.ID}', 'mine'),
    made('a session that takes along what it holds', 'PUT /v1/session/create', '{"Behavior": "delete"}'),
  ]
  const tokens = [
    made(
      'a token with rules',
      'PUT /v1/acl/create?token=root',
      '{"Name": "reader", "Type": "client", "Rules": "key \\"kept\\" { policy = \\"read\\" }"}',
    ),
    made('a token that may do everything', 'PUT /v1/acl/create?token=root', '{"Name": "boss", "Type": "management"}'),
  ]
  const mesh = [
    '  - step: the mesh has its root\n    eventually: { within: 30s, mesh: { roots: exactly 1 } }',
    made(
      'an intention',
      'POST /v1/connect/intentions?token=root',
      '{"SourceName": "web", "DestinationName": "ipp", "Action": "deny"}',
    ),
  ]
  return [
    ...keys,
    ...(isAtLeast(from, withSessions) ? [...tokens, ...sessions] : []),
    ...(isAtLeast(from, withMesh) ? mesh : []),
  ]
}

/**
 * The same without writes: what servers held before, each of them holds after each step, row by row. In this order, or
 * with the leader last.
 */
export function upgradeOfHeld({ from, to }: ReleasePair, order: Order | 'leader last'): string {
  const spoken = internalProtocolsOf(from).spoken
  const asBefore = internalProtocolsOf(to).spoken === spoken ? '' : `, config: { protocol: ${spoken} }`
  const nodes = order === 'leader last' ? 'followers, leader' : order.split(' ').join(', ')
  const held =
    'within: 60s, leader: exactly one, running: nodes, raft.applied: equal on all, holds: before, answer: { at: nodes, request: GET /v1/status/leader, body: /8300/ }'
  const access = isAtLeast(from, withSessions)
    ? ', acl_datacenter: dc1, acl_default_policy: allow, acl_master_token: root'
    : ''
  const mesh = isAtLeast(from, withMesh) ? ', connect: { enabled: true }' : ''
  return `scenario: What is held from ${pairText({ from, to })}, ${order}
cluster:
  dc1:
    servers: { count: 3, release: ${releaseText(from)} }
    clients: { count: 1, release: ${releaseText(from)}, config: { services: [{ name: web, port: 80 }] } }
    config: { performance: { raft_multiplier: 1 }${access}${mesh} }
network: { latency: 1ms..5ms }
operator: { token: root }
steps:
  - step: all is well, and the service is there
    eventually: { within: 60s, leader: exactly one, running: nodes, answer: { at: servers, request: "GET /v1/health/service/web?passing", body: '/"web"/' } }
${somethingOfEach(from).join('\n')}
  - step: all servers have it
    eventually: { within: 10s, raft.applied: equal on all }
  - step: that is to stay
    remember: before
  - step: servers are upgraded
    upgrade: { nodes: "${nodes}", to: ${releaseText(to)}${asBefore}, one by one: 5s..6s, until: { ${held} } }
  - step: the client is the last
    upgrade: { nodes: c1, to: ${releaseText(to)}${asBefore}, until: { ${held} } }
  - step: for a while, in which leaders do what they do
    wait: 5s..6s
  - step: all is as it was
    eventually: { ${held} }
`
}

/** A lone server of each release: it leads, takes a write, and says what it is. */
export function everyRelease(): string {
  const releases = releasesOfTable().map(releaseText)
  const clusters = releases.map(
    (release) => `  r${release.replaceAll('.', '-')}:
    apart: true
    servers: { count: 1, release: ${release} }
    config: { performance: { raft_multiplier: 1 } }`,
  )
  const steps = releases.map(
    (release, at) => `  - step: a server of ${release} leads, and says what it is
    eventually: { within: 20s, leader: s${at + 1}, among: s${at + 1}, answer: { at: s${at + 1}, request: GET /v1/agent/members, body: '/"build":"${release.replaceAll('.', '[.]')}:"/' } }
  - step: it takes a write
    http: { at: s${at + 1}, request: PUT /v1/kv/color, body: blue }
    expect: { status: 200, body: "true" }`,
  )
  return `scenario: Every release\ncluster:\n${clusters.join('\n')}\nsteps:\n${steps.join('\n')}\n`
}

/** What one run told that a release stops at what the next one writes. */
export interface Stops {
  /**
   * A server of the later release led while one of the earlier was left, which has to stop at what that leader writes.
   */
  readonly isDue: boolean
  /** Servers that stopped at a command that they do not know, in order. */
  readonly stopped: readonly string[]
  /** Why a stop is none that the notes announce. */
  readonly wrong: readonly string[]
}

/** Reads the story of a run. */
export function stopsIn(story: string, to: Release): Stops {
  const upgraded = new Set<string>()
  const stopped: string[] = []
  const wrong: string[] = []
  let isDue = false
  for (const line of story.split('\n')) {
    const [, server = '', what = ''] = /^ *[\d.]+s {3}(s\d) (.*)$/.exec(line) ?? []
    if (what === `starts as ${releaseText(to)}`) upgraded.add(server)
    if (what === 'leads' && upgraded.has(server) && upgraded.size < 3) isDue = true
    if (!what.startsWith('stopped itself')) continue
    stopped.push(server)
    if (!what.includes('this release does not know a replicated command')) wrong.push(line)
    if (upgraded.has(server) || !isDue) wrong.push(line)
  }
  return { isDue, stopped, wrong }
}
