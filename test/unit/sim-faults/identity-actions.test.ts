import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'

const cluster = `scenario: An agent comes back as another
cluster:
  dc1:
    servers: { count: 1 }
    clients: { count: 2, config: { services: [{ name: web, port: 80 }] } }
    config: { performance: { raft_multiplier: 1 } }
steps:
`
const id = '00000000-0000-4000-8001-000000000001'

async function played(steps: readonly string[]) {
  const list = steps.map((step, at) => `  - step: number ${at}\n    ${step}\n`).join('')
  const loaded = loadScenario('page.yaml', cluster + list)
  if (!loaded.ok) expect.fail(JSON.stringify(loaded.error))
  const platform = createPlatform()
  const run = new ScenarioRun({ loaded: loaded.value, seed: 1, platform })
  const { failures } = await run.run()
  platform.close()
  return { failures: failures.map(({ message }) => message), changes: run.cluster.changes }
}

/** Eventually the server has this node, with the ID and the service of the first client, at an address of this form. */
function listed(node: string, address: string): string {
  const body = `/"ID":"${id}".*"Address":"${address}".*"web"/`
  const answer = `{ at: s1, request: GET /v1/catalog/node/${node}, body: '${body}' }`
  return `eventually: { within: 120s, members: { c1: alive }, answer: ${answer} }`
}

describe('an agent that is renamed', () => {
  it('has its services under the new name, and the catalog has its former name no longer', async () => {
    const gone = 'eventually: { within: 10s, answer: { at: s1, request: GET /v1/catalog/node/c1, body: /^null/ } }'
    const steps = [listed('c1', '10.0.1.101'), 'rename: { nodes: c1, to: web-1 }', listed('web-1', '10.0.1.101'), gone]
    expect((await played(steps)).failures).toEqual([])
  })

  it('gets a name that it does not have, if none is given', async () => {
    const { failures, changes } = await played([listed('c1', '10.0.1.101'), 'rename: { nodes: c1 }'])
    expect(failures).toEqual([])
    expect(changes.otherNames('c2')).toEqual(['c2-a', 'c2-b'])
    expect(changes.otherNames('c1')).toContain('c1')
  })

  it('is one node, if the name is given', async () => {
    const { failures } = await played(['rename: { nodes: clients, to: web-1 }'])
    expect(failures).toEqual([expect.stringContaining("'clients' matches several nodes, and web-1 is one name")])
  })
})

describe('an agent that moves', () => {
  it('has its services at another address, and leaves its own to others', async () => {
    const steps = [listed('c1', '10.0.1.101'), 'move: c1', listed('c1', '10.24[01].1.101')]
    const { failures, changes } = await played(steps)
    expect(failures).toEqual([])
    expect(changes.freeHosts('c2')).toEqual(['10.0.1.101', '10.240.1.102', '10.241.1.102'])
  })
})
