import { describe, expect, it } from 'vitest'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'

const minimal = `scenario: A quiet cluster
cluster:
  dc1:
    servers: { count: 3 }
steps:
  - step: time passes
    wait: 5s
`

function linesOf(text: string): readonly string[] {
  const loaded = loadScenario('x.yaml', text)
  return loaded.ok ? [] : loaded.error.map(problemText)
}

/** The minimal scenario with further top-level text. */
function withTail(text: string): string {
  return minimal + text
}

/** The minimal scenario with client agents that offer a service with a TTL check, and a check of another kind. */
function withClients(tail: string): string {
  const service = '{ name: web, port: 80, check: { ttl: 9s } }'
  const clients = `    clients:
      count: 1
      config: { services: [${service}], checks: [{ id: tcp, name: tcp, tcp: "127.0.0.1:1", interval: 9s }] }
`
  return minimal.replace('steps:', `${clients}steps:`) + tail
}

describe('a scenario file', () => {
  it('is read into values with their units resolved', () => {
    const loaded = loadScenario('x.yaml', withTail('network: { latency: 1ms..5ms, loss: 0.1% }\n'))
    if (!loaded.ok) throw new Error(loaded.error.map(problemText).join('\n'))
    expect(loaded.value.scenario.network).toEqual({ latency: { min: 1, max: 5 }, loss: 0.001 })
    expect(loaded.value.scenario.steps?.[0]?.wait).toEqual({ min: 5000, max: 5000 })
  })

  it('takes every action and condition of the language', () => {
    const text = withTail(`  - step: all kinds
    crash: leader
    for: 1s..2s
  - { step: a, restart: [s1, s2] }
  - { step: b, partition: minority, for: 2s }
  - { step: c, partition: { groups: ["s1, s2", s3] } }
  - { step: d, cut: { from: leader, to: followers, one way: true } }
  - { step: e, heal: everything }
  - { step: f, slow disk: { nodes: leader, fsync: 200ms..500ms }, for: 5s }
  - { step: g, fill disk: s1 }
  - { step: h, step clock: { nodes: s1, by: -5s } }
  - { step: i, clock rate: { nodes: one of servers, rate: 2% } }
  - { step: j, save: { old leader: leader } }
  - step: k
    http: { at: s1, request: PUT /v1/kv/a, body: x, save: answer }
    expect: { status: 200, body: "true" }
  - { step: l, expect: { leader: exactly one } }
  - { step: m, eventually: { within: 10s, leader: "not \${old leader}", kv: { key: a, value: x } } }
  - { step: n, always: { for: 5s, leader: "same as \${old leader}" } }
  - { step: o, never: { for: 5s, leader: none } }
  - { step: p, transfer leadership: {} }
  - { step: q, upgrade: { nodes: followers, to: 1.3.1, one by one: 1s, until: { within: 9s, leader: exactly one } } }
  - step: r
    together:
      - { crash: s1, for: 2s }
      - { http: { at: s2, request: PUT /v1/kv/b, body: y, save: other }, expect: { status: 200 } }
      - { workload: stop }
  - { step: s, http: { at: s1, request: "get /v1/kv/\${other.body}" } }
  - { step: t, partition: { groups: [[s1], [leader], ["others of s1, leader"]] } }
faults:
  - when: leader elected
    nth: 2
    do: [{ cut: half its links, for: 2s }]
  - every: 1s..5s
    one of: [{ crash: one of servers, for: 1s }, { pause: it, for: 300ms }]
    swarm: 50%
always: [{ running: all servers }]
excuses: { stale default reads: 500ms }
quiet: { within: 30s }
`)
    expect(linesOf(text)).toEqual([])
  })

  it('may tell a check that a step registers', () => {
    const beats = 'heartbeats: { webs: { at: s1, check: late, every: 4s } }\n'
    const register = (body: string): string =>
      `  - { step: a, http: { at: s1, request: PUT /v1/agent/check/register, body: '${body}' } }\n`
    expect(linesOf(withTail(beats))).toHaveLength(1)
    expect(linesOf(withTail(register('{"ID":"late","Name":"late","TTL":"9s"}') + beats))).toEqual([])
    expect(linesOf(withTail(register('{"ID":"later","Name":"late","TTL":"9s"}') + beats))).toHaveLength(1)
    const reload = '  - { step: a, reload: { of: s1, config: { checks: [{ id: late, name: late, ttl: 9s }] } } }\n'
    expect(linesOf(withTail(reload + beats))).toEqual([])
  })

  it('may have two clusters of one name that are apart, machines that come later, and faults in each', () => {
    const text = minimal
      .replace('count: 3 }', 'count: 3, spare: 1 }')
      .replace('steps:', '  new: { datacenter: dc1, apart: true, servers: { count: 2 } }\nsteps:')
    const tail = `  - { step: a, restart: s4 }
  - { step: b, wipe: new/leader }
  - { step: c, rot: s6 }
  - { step: d, peers.json: { at: s5, names: "s5, s6" } }
quiet: { within: 30s, core first: true }
`
    expect(linesOf(text + tail)).toEqual([])
    expect(linesOf(text + tail.replace('s6', 's7'))).toHaveLength(1)
  })
})

describe('a bad scenario file', () => {
  const cases: readonly (readonly [what: string, text: string, line: string | RegExp])[] = [
    [
      'with an unknown key at the top',
      withTail('netwrok: { latency: 1ms }\n'),
      "x.yaml:8:1: unknown key 'netwrok': did you mean 'network'?",
    ],
    [
      'with an unknown key deep inside',
      minimal.replace('count: 3', 'cuont: 3'),
      /^x\.yaml:4:16: unknown key 'cuont': did you mean 'count'\?$/,
    ],
    [
      'with a condition in place of what expects it',
      minimal.replace('wait: 5s', 'leader: none'),
      "x.yaml:7:5: unknown key 'leader': write it below 'eventually' or 'always' or 'never' or 'expect'",
    ],
    [
      'with a key that stands too high at the top',
      withTail('latency: 1ms\n'),
      "x.yaml:8:1: unknown key 'latency': write it below 'network' or 'disk'",
    ],
    [
      'with an unknown action',
      minimal.replace('wait: 5s', 'wiat: 5s'),
      "x.yaml:7:5: unknown key 'wiat': did you mean 'wait'?",
    ],
    [
      'with a key of the configuration that does not exist',
      minimal.replace('servers: { count: 3 }', 'servers: { count: 3 }\n    config: { performanse: {} }'),
      "x.yaml:5:15: unknown key 'performanse': did you mean 'performance'?",
    ],
    [
      'with a line indented too deep',
      minimal.replace('    wait', '      wait'),
      /^x\.yaml:7:\d+: this line is indented deeper/,
    ],
    ['with a line not indented enough', minimal.replace('    wait', '   wait'), /^x\.yaml:7:\d+: indentation/],
    ['with a tab', minimal.replace('    wait', '\twait'), /^x\.yaml:7:\d+: a tab is used/],
    ['with a duration without unit', minimal.replace('5s', '5'), /^x\.yaml:7:11: '5' is not a duration/],
    ['with a share without unit', withTail('network: { loss: 0.1 }\n'), "x.yaml:8:18: '0.1' has no unit: write 0.1%"],
    [
      'with a rate without unit',
      withTail('workload:\n  shop: { operations: [kv.get], rate: 50 }\n'),
      "x.yaml:9:39: '50' has no unit: write 50/s",
    ],
    [
      'with an unknown operation',
      withTail('workload:\n  shop: { operations: [kv.gte], rate: 50/s }\n'),
      "x.yaml:9:24: item 1 of 'operations' cannot be 'kv.gte': did you mean 'kv.get'?",
    ],
    [
      'with a release before all that can be run',
      minimal.replace('count: 3', 'count: 3, release: 0.1.9'),
      'x.yaml:4:35: nothing runs as release 0.1.9; the oldest is 0.2.0',
    ],
    [
      'with a node that is not there',
      minimal.replace('wait: 5s', 'crash: s9'),
      "x.yaml:7:12: there is no node 's9': the cluster has s1 to s3",
    ],
    [
      'with a selection that says nothing',
      minimal.replace('wait: 5s', 'crash: laeder'),
      /^x\.yaml:7:12: 'laeder' names no node/,
    ],
    [
      'with a saved name that nobody saved',
      minimal.replace('wait: 5s', 'crash: "${old leader}"'),
      "x.yaml:7:12: nothing is saved as 'old leader': no step has a 'save'",
    ],
    [
      'with what nobody remembered',
      minimal.replace('wait: 5s', 'expect: { holds: before }'),
      "x.yaml:7:22: nothing is remembered as 'before': no step has a 'remember'",
    ],
    ['with a wrong type', minimal.replace('{ count: 3 }', '3'), "x.yaml:4:14: 'servers' must be a map of keys, not 3"],
    ['with two actions in a step', `${minimal}    crash: s1\n`, /^x\.yaml:6:5: a step does one thing/],
    ['with a step that does nothing', minimal.replace('    wait: 5s\n', ''), /^x\.yaml:6:5: this step does nothing/],
    [
      'without its title',
      minimal.replace('scenario: A quiet cluster\n', ''),
      "x.yaml:1:1: the scenario lacks 'scenario'",
    ],
    ['that is a list', '- a\n', /^x\.yaml:1:1: a scenario is a map/],
    ['that is empty', '', /^x\.yaml:1:1: a scenario is a map/],
    ['with a key twice', withTail('scenario: again\n'), 'x.yaml:8:1: this key stands here twice: keep one'],
    [
      'with two datacenters of one name that know each other',
      minimal.replace('steps:', '  new: { datacenter: dc1, servers: { count: 1 } }\nsteps:'),
      "x.yaml:5:22: another datacenter is called 'dc1' too: give it another name, or 'apart: true'",
    ],
    [
      'with keys in a datacenter that is not there',
      withTail('workload:\n  shop: { operations: [kv.get], rate: 50/s, datacenter: dc2 }\n'),
      "x.yaml:9:57: there is no datacenter 'dc2': the cluster has dc1",
    ],
    [
      'with a setting whose value the agent refuses',
      minimal.replace('{ count: 3 }', '{ count: 3 }\n    config: { performance: { raft_multiplier: 20 } }'),
      /^x\.yaml:5:13: .*raft_multiplier/,
    ],
    [
      'with a range that begins above its end',
      withTail('network: { latency: 5ms..1ms }\n'),
      "x.yaml:8:21: '5ms..1ms' begins above its end",
    ],
    [
      'with an answer expected of nothing',
      minimal.replace('wait: 5s', 'expect: { status: 200 }'),
      /^x\.yaml:7:23: 'status' is about an answer/,
    ],
    [
      'with a pattern that is none',
      minimal.replace('wait: 5s', 'http: { at: s1, request: GET /v1/status/leader }\n    expect: { body: /(/ }'),
      /^x\.yaml:8:21: \/\(\/ is not a regular expression/,
    ],
    [
      'with a method that is none',
      minimal.replace('wait: 5s', 'http: { at: s1, request: PUTT /v1/kv/a }'),
      "x.yaml:7:30: unknown method 'PUTT': did you mean 'PUT'?",
    ],
    [
      'with a method that is none in a condition',
      minimal.replace('wait: 5s', 'eventually: { within: 5s, answer: { request: "FETCH /v1/kv/a", status: 200 } }'),
      /^x\.yaml:7:50: unknown method 'FETCH': write GET, PUT/,
    ],
    [
      'with a request that lacks its method',
      minimal.replace('wait: 5s', 'http: { at: s1, request: /v1/kv/a }'),
      "x.yaml:7:30: '/v1/kv/a' lacks its method: write 'GET /v1/kv/a'",
    ],
    [
      'with a target that is no path',
      minimal.replace('wait: 5s', 'http: { at: s1, request: GET v1/kv/a }'),
      "x.yaml:7:30: the target 'v1/kv/a' does not begin with /: write '/v1/kv/a'",
    ],
    [
      'with heartbeats for a check that is not there',
      withClients('heartbeats: { webs: { at: clients, check: "service:wbe", every: 4s } }\n'),
      "x.yaml:11:43: the client agents of dc1 have no check 'service:wbe': did you mean 'service:web'?",
    ],
    [
      'with heartbeats where no agent has a TTL check',
      withClients('heartbeats: { webs: { at: nodes, check: "service:web", every: 4s } }\n'),
      "x.yaml:11:41: the servers of dc1 have no check 'service:web'; they have no TTL check: define one under 'config'",
    ],
    [
      'with heartbeats for a check of another kind',
      withClients('heartbeats: { webs: { at: c1, check: tcp, every: 4s } }\n'),
      "x.yaml:11:38: the check 'tcp' of the client agents of dc1 is no TTL check and needs no reports",
    ],
    [
      'with a server on two sides of a partition',
      minimal.replace('wait: 5s', 'partition: { groups: ["s1, s2", [s3, s2]] }'),
      "x.yaml:7:26: 's2' is on two sides of the partition: name it on one",
    ],
    [
      'with one side within the other',
      minimal.replace('wait: 5s', 'partition: { groups: [servers, s3] }'),
      /^x\.yaml:7:26: 's3' is on two sides/,
    ],
    [
      'with the leader on two sides',
      minimal.replace('wait: 5s', 'partition: { groups: [[leader, s1], [leader]] }'),
      /^x\.yaml:7:26: 'leader' is on two sides/,
    ],
    [
      'with a saved name without quotes in a flow map',
      minimal.replace('- step: time passes\n    wait: 5s', '- { step: x, crash: ${old leader} }'),
      `x.yaml:6:23: inside { } or [ ] a text with \${name} in it needs quotes, because YAML reads its brace as a map: write "\${old leader}"`,
    ],
    [
      'with a saved name behind other words in a flow map',
      minimal.replace('wait: 5s', 'eventually: { within: 5s, leader: not ${lost} }'),
      /^x\.yaml:7:43: inside \{ \} .* write "not \$\{lost\}"$/,
    ],
    [
      'with a saved name without quotes in a flow list',
      minimal.replace('wait: 5s', 'crash: [${lost}, s1]'),
      /^x\.yaml:7:13: inside \{ \} .* write "\$\{lost\}"$/,
    ],
    [
      'with a saved name that does not end',
      minimal.replace('- step: time passes\n    wait: 5s', '- { step: x, crash: ${lost'),
      /^x\.yaml:6:23: '\$\{' begins a saved name that does not end with '\}'/,
    ],
    [
      'with waiting among things done at one moment',
      minimal.replace('wait: 5s', 'together: [{ crash: s1 }, { wait: 5s }]'),
      /^x\.yaml:7:33: unknown key 'wait'/,
    ],
    [
      'with two things in an item of what is done together',
      minimal.replace('wait: 5s', 'together: [{ crash: s1 }, { restart: s1, pause: s2 }]'),
      /^x\.yaml:7:31: an item of 'together' does one thing, this one 2/,
    ],
    [
      'with one thing together with nothing',
      minimal.replace('wait: 5s', 'together: [{ crash: s1 }]'),
      "x.yaml:7:15: 'together' is too small: at least 2",
    ],
    [
      'with an unknown trigger',
      withTail('faults:\n  - when: leader electd\n    do: [{ crash: it }]\n'),
      "x.yaml:9:11: 'when' cannot be 'leader electd': did you mean 'leader elected'?",
    ],
    [
      'with a fault without cause',
      withTail('faults:\n  - do: [{ crash: s1 }]\n'),
      /^x\.yaml:9:5: a fault has one trigger, this one none/,
    ],
    [
      'with the same action twice in a draw',
      withTail('faults:\n  - every: 5s\n    one of: [{ crash: s1 }, { pause: s1 }, { crash: s1 }]\n'),
      'x.yaml:10:13: the same action is listed twice',
    ],
    [
      'with a delay after nothing',
      withTail('faults:\n  - every: 5s\n    after: 1s\n    do: [{ crash: s1 }]\n'),
      "x.yaml:10:12: 'after' is the delay after the event of 'when': add 'when'",
    ],
    [
      "with 'for' beside an action it cannot take back",
      minimal.replace('wait: 5s', 'restart: s1\n    for: 5s'),
      /^x\.yaml:8:10: 'for' undoes a fault/,
    ],
  ]
  for (const [what, text, line] of cases) {
    it(`${what} is refused with one line that has the place and the remedy`, () => {
      const lines = linesOf(text)
      expect(lines).toHaveLength(1)
      if (typeof line === 'string') expect(lines[0]).toBe(line)
      else expect(lines[0]).toMatch(line)
    })
  }
})
