import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startSimulatedAgent } from './simulated-agent.ts'
import { worlds } from './worlds.ts'

/** Requirement, path, and the one verb that it takes. */
const endpoints: readonly (readonly [row: string, path: string, verb: 'GET' | 'PUT'])[] = [
  ['HTP-015', '/v1/acl/info/x', 'GET'],
  ['HTP-016', '/v1/acl/list', 'GET'],
  ['HTP-017', '/v1/acl/replication', 'GET'],
  ['HTP-018', '/v1/agent/checks', 'GET'],
  ['HTP-019', '/v1/agent/members', 'GET'],
  ['HTP-020', '/v1/agent/metrics', 'GET'],
  ['HTP-021', '/v1/agent/self', 'GET'],
  ['HTP-022', '/v1/agent/services', 'GET'],
  ['HTP-023', '/v1/catalog/datacenters', 'GET'],
  ['HTP-024', '/v1/catalog/node/n1', 'GET'],
  ['HTP-025', '/v1/catalog/nodes', 'GET'],
  ['HTP-026', '/v1/catalog/service/web', 'GET'],
  ['HTP-027', '/v1/catalog/services', 'GET'],
  ['HTP-028', '/v1/coordinate/datacenters', 'GET'],
  ['HTP-029', '/v1/coordinate/nodes', 'GET'],
  ['HTP-030', '/v1/health/checks/web', 'GET'],
  ['HTP-031', '/v1/health/node/n1', 'GET'],
  ['HTP-032', '/v1/health/service/web', 'GET'],
  ['HTP-033', '/v1/health/state/any', 'GET'],
  ['HTP-034', '/v1/internal/ui/node/n1', 'GET'],
  ['HTP-035', '/v1/internal/ui/nodes', 'GET'],
  ['HTP-036', '/v1/internal/ui/services', 'GET'],
  ['HTP-037', '/v1/session/info/11111111-0000-0000-0000-000000000000', 'GET'],
  ['HTP-038', '/v1/session/list', 'GET'],
  ['HTP-039', '/v1/session/node/n1', 'GET'],
  ['HTP-042', '/v1/operator/area/6b1d2a3c-0000-4000-8000-000000000000/members', 'GET'],
  ['HTP-043', '/v1/agent/check/deregister/x', 'PUT'],
  ['HTP-044', '/v1/agent/check/fail/x', 'PUT'],
  ['HTP-045', '/v1/agent/check/pass/x', 'PUT'],
  ['HTP-046', '/v1/agent/check/register', 'PUT'],
  ['HTP-047', '/v1/agent/check/warn/x', 'PUT'],
  ['HTP-048', '/v1/agent/force-leave/nobody', 'PUT'],
  ['HTP-049', '/v1/agent/join/127.0.0.1:1', 'PUT'],
  ['HTP-050', '/v1/agent/service/register', 'PUT'],
  ['HTP-051', '/v1/agent/service/deregister/x', 'PUT'],
  ['HTP-052', '/v1/catalog/deregister', 'PUT'],
  ['HTP-053', '/v1/catalog/register', 'PUT'],
  ['HTP-054', '/v1/operator/area/6b1d2a3c-0000-4000-8000-000000000000/join', 'PUT'],
]

describe.each(worlds.map((world) => [world.name, world] as const))('verbs %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  it.each(endpoints)('[HTP-013] [%s] %s takes %s alone', async (_row, path, verb) => {
    for (const other of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((name) => name !== verb)) {
      const refused = await ask(target, `${other} ${path}`, other === 'GET' ? undefined : '{}')
      expect([other, refused.status, refused.headers.get('allow')]).toEqual([other, 405, `OPTIONS,${verb}`])
    }
    const taken = await ask(target, `${verb} ${path}`, verb === 'GET' ? undefined : '{}')
    expect(taken.status).not.toBe(405)
    expect(taken.headers.has('allow')).toBe(false)
  })
})

describe.each(worlds.map((world) => [world.name, world] as const))('network areas %s', (_name, { start }) => {
  it('[HTP-055] are there with their verbs, and none is known: every one of them is 404', async () => {
    const { target, stop } = await start('default')
    try {
      const members = 'GET /v1/operator/area/6b1d2a3c-0000-4000-8000-000000000000/members'
      expect(await ask(target, members)).toMatchObject({ status: 404, text: '' })
      const join = 'PUT /v1/operator/area/6b1d2a3c-0000-4000-8000-000000000000/join'
      expect(await ask(target, join, '["127.0.0.1:8300"]')).toMatchObject({ status: 404, text: '' })
      for (const path of ['', '/', '/6b1d2a3c-0000-4000-8000-000000000000', '/x/other']) {
        const text = expect.stringContaining('There is no route')
        expect(await ask(target, `GET /v1/operator/area${path}`)).toMatchObject({ status: 404, text })
      }
    } finally {
      await stop()
    }
  })
})

describe('an agent of release 0.9', () => {
  it('[HTP-014] takes any verb on the endpoints that later take one alone', async () => {
    const { target, stop } = await startSimulatedAgent('default', { release: { major: 0, minor: 9, patch: 3 } })
    try {
      for (const [, path] of endpoints) {
        for (const verb of ['GET', 'PUT', 'POST', 'DELETE']) {
          const { status } = await ask(target, `${verb} ${path}`, verb === 'GET' ? undefined : '{}')
          expect(status, `${verb} ${path}`).not.toBe(405)
        }
      }
    } finally {
      await stop()
    }
  })
})
