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
      "x.yaml:5:22: there is another 'dc1' that it knows: give it another name, or 'apart: true'",
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
      /^x\.yaml:7:23: 'status' is expected of an answer/,
    ],
    [
      'with a pattern that is none',
      minimal.replace('wait: 5s', 'http: { at: s1, request: GET /v1/status/leader }\n    expect: { body: /(/ }'),
      /^x\.yaml:8:21: \/\(\/ is not a regular expression/,
    ],
    [
      'with an unknown trigger',
      withTail('faults:\n  - when: leader electd\n    do: [{ crash: it }]\n'),
      "x.yaml:9:11: 'when' cannot be 'leader electd': did you mean 'leader elected'?",
    ],
    [
      'with a fault without cause',
      withTail('faults:\n  - do: [{ crash: s1 }]\n'),
      /^x\.yaml:9:5: a fault has one cause, this one none/,
    ],
    [
      "with 'for' beside an action it cannot take back",
      minimal.replace('wait: 5s', 'restart: s1\n    for: 5s'),
      /^x\.yaml:8:10: 'for' takes back a fault/,
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
