import { describe, expect, it } from 'vitest'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const seeds = isLong ? 20 : 1

const primary = 1

/** Every order of 1 to `count`. */
function ordersOf(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]]
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count, ...order.slice(at)]),
  )
}

/** A server of each of these datacenters, by its number: `s2` is that of `dc2`. */
function servers(datacenters: readonly number[]): string {
  return `"${datacenters.map((each) => `s${each}`).join(', ')}"`
}

/**
 * Datacenters at 1.3.1, each of one server, come to 1.4.0 in this order. One that comes before the primary one stays in
 * its old mode and refuses what is new, until the primary one is there. A token that opens a door does so at every
 * step, from each datacenter in each.
 */
function scenarioOf(order: readonly number[]): string {
  const all = order.toSorted((a, b) => a - b)
  const doors = all.map(
    (each) => `  - step: the door of datacenter ${each} is open to its token from all of them
    eventually: { within: 60s, answer: { at: servers, request: PUT /v1/kv/door?dc=dc${each}&token=guest, status: 200 } }`,
  )
  const steps = order.flatMap((datacenter, at) => {
    const upgraded = order.slice(0, at + 1)
    const mode = upgraded.includes(primary)
      ? `  - step: those that have come are in the new mode
    eventually: { within: 60s, answer: { at: ${servers(upgraded)}, request: GET /v1/agent/self?token=root, body: /"acl":"enabled"/ } }`
      : `  - step: there is time for what must not be
    wait: 20s
  - step: those that have come are in the old mode
    expect: { answer: { at: ${servers(upgraded)}, request: GET /v1/agent/self?token=root, body: /"acl":"legacy"/ } }
  - step: they refuse what is new
    expect: { answer: { at: ${servers(upgraded)}, request: GET /v1/acl/policies?token=root, body: /legacy mode/ } }`
    return [
      `  - step: datacenter ${datacenter} comes to 1.4.0
    upgrade: { nodes: s${datacenter}, to: 1.4.0 }`,
      ...doors,
      mode,
    ]
  })
  return `scenario: Datacenters upgraded in the order ${order.join(', ')}
cluster:
${all.map((each) => `  dc${each}: { servers: { count: 1, release: 1.3.1 }, config: ${each === primary ? '&config ' : '*config'}${each === primary ? settings : ''} }`).join('\n')}
operator: { token: root }
steps:
  - step: each has a leader, and the primary one the token that may do everything
    eventually: { within: 60s, answer: { at: servers, request: PUT /v1/kv/door?token=root, status: 200 } }
  - step: agents may tell of themselves
    http: { at: s1, request: PUT /v1/acl/create?token=root, body: '{"ID": "agents", "Rules": "node \\"\\" { policy = \\"write\\" } service \\"\\" { policy = \\"write\\" }"}' }
    expect: { status: 200 }
  - step: everybody may find services
    http: { at: s1, request: PUT /v1/acl/create?token=root, body: '{"ID": "discovery", "Rules": "node \\"\\" { policy = \\"read\\" } service \\"\\" { policy = \\"read\\" }"}' }
    expect: { status: 200 }
  - step: a token opens one door
    http: { at: s1, request: PUT /v1/acl/create?token=root, body: '{"ID": "guest", "Rules": "key \\"door\\" { policy = \\"write\\" }"}' }
    expect: { status: 200 }
${[...doors, ...steps].join('\n')}
  - step: and no other
    http: { at: s2, request: PUT /v1/kv/other?dc=dc1&token=guest }
    expect: { status: 403, body: /Permission denied/ }
  - step: what is new is taken
    http: { at: s1, request: PUT /v1/acl/token?token=root, body: '{"Description": "new"}', save: new }
    expect: { status: 200, body: /"AccessorID"/ }
  - step: and known in all, without a right yet
    eventually: { within: 60s, answer: { at: servers, request: "PUT /v1/kv/door?token=\${new.body.SecretID}", status: 403, body: /Permission denied/ } }
`
}

const settings =
  '{ acl_datacenter: dc1, acl_default_policy: deny, acl_master_token: root, acl_agent_token: agents, acl_token: discovery, retry_interval_wan: 2s, performance: { raft_multiplier: 1 } }'

const orders = [2, 3].flatMap(ordersOf)

describe('two and three datacenters', () => {
  it(
    '[UPG-005] come to 1.4.0 in every order, and none leaves its old mode before the primary one',
    async () => {
      const files = orders.map((order) => scenarioFile(scenarioOf(order)))
      const { out, err, exit } = await svcSim(['run', ...files, '--seeds', `1..${seeds}`, ...oneJob])
      expect(exit, `${out}${err}`).toBe(0)
      expect(out.match(new RegExp(`: all ${seeds} seeds passed$`, 'gm')), out).toHaveLength(orders.length)
    },
    isLong ? 3_600_000 : 120_000,
  )
})
