import { describe, expect, it } from 'vitest'
import { features } from '../../../src/agent/features.ts'
import { placedOperations } from '../../../src/http/openapi/document.ts'
import { type Effect, effects, openOperations } from './access-effects.ts'
import { AccessWorld } from './access-world.ts'
import { Rights } from './rights-of.ts'

const routes = features.flatMap((feature) => feature.routes ?? [])
const operations = new Map(
  placedOperations(routes).map(({ path, method, operation }) => [`${method} ${path}`, operation] as const),
)
const endpoints = features.flatMap((feature) => feature.endpoints ?? [])

/** What answers for access control itself is shown with it. */
const isAboutAccess = (name: string): boolean => / \/v1\/(acl|agent\/token)\//.test(name)

const refusal = /Permission denied|denied (by|due to) ACLs/

/** Each of these gives what its caller has already, or the one thing that nobody has rights to yet, or no secret. */
const openAboutAccess = [
  'GET /v1/acl/explain',
  'GET /v1/acl/info/{id}',
  'GET /v1/acl/replication',
  'GET /v1/acl/status',
  'GET /v1/acl/token/self',
  'PUT /v1/acl/bootstrap',
]

function bodyOf({ body = '' }: Effect): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

describe('the wall of access control', () => {
  it('has a row for each operation, and no others', () => {
    const known = [...Object.keys(effects), ...Object.keys(openOperations)]
    expect(known.sort()).toEqual([...operations.keys()].filter((name) => !isAboutAccess(name)).sort())
  })

  it('knows each operation and each endpoint that asks nothing', () => {
    const open = [...operations].filter(([, { access }]) => 'open' in access)
    expect(open.map(([name]) => name).sort()).toEqual([...Object.keys(openOperations), ...openAboutAccess].sort())
    const openEndpoints = endpoints.filter(({ access }) => access.kind === 'open')
    expect(openEndpoints.map(({ method }) => method).sort()).toEqual([
      'ACL.Bootstrap',
      'ACL.Get',
      'ACL.ReplicationStatus',
      'ACL.Standing',
      'ACL.TokenSelf',
      'Catalog.ListDatacenters',
      'ConnectCA.Roots',
      'Coordinate.ListDatacenters',
      'PreparedQuery.OtherDatacenters',
      'Status.Leader',
      'Status.Peers',
    ])
  })

  it('knows each endpoint that asks within itself', () => {
    const inside = endpoints.filter(({ access }) => access.kind === 'within')
    expect(inside.map(({ method }) => method).sort()).toEqual([
      'ACL.Explain',
      'ConnectCA.Sign',
      'Intention.Apply',
      'Internal.KeyringOperation',
      'PreparedQuery.ExecuteElsewhere',
      'Session.Destroy',
      'Session.Renew',
      'Txn.Apply',
    ])
  })

  it('has a reason in words wherever nothing is asked before', () => {
    for (const { access } of endpoints) if ('reason' in access) expect(access.reason.length).toBeGreaterThan(10)
  })

  for (const [name, request] of Object.entries(openOperations)) {
    it(`${name} is answered to everybody, and asks nothing`, async () => {
      const rights = new Rights()
      const answer = await (await AccessWorld.begun()).ask(rights, request)
      expect(rights.asked).toEqual([])
      expect(answer.body).not.toMatch(refusal)
    })
  }
})

/** Of those who are refused: nothing changes. */
const untouched = AccessWorld.begun()

for (const [name, rows] of Object.entries(effects)) {
  describe(`${name} under default deny`, () => {
    for (const row of rows) {
      const { request, grants, denied = { status: 403, body: 'Permission denied' }, allowed = 200 } = row
      const what = typeof row.body === 'object' ? `${request} ${JSON.stringify(row.body)}` : request

      it(`without rights: ${what}`, async () => {
        const world = await untouched
        const rights = new Rights()
        const before = world.server.index
        const answer = await world.ask(rights, request, bodyOf(row))
        expect(rights.asked.length > 0 || grants.length === 0).toBe(true)
        expect(answer.status).toBe(denied.status)
        if (denied.body instanceof RegExp) expect(answer.body).toMatch(denied.body)
        else expect(answer.body).toBe(denied.body)
        expect([world.happened, world.server.index]).toEqual([[], before])
      })

      it(`with ${grants.join(', ') || 'no rights, as there is nothing'}: ${what}`, async () => {
        const world = await AccessWorld.begun()
        const answer = await world.ask(new Rights(grants), request, bodyOf(row))
        expect(answer.status).toBe(allowed)
        expect(answer.body).not.toMatch(refusal)
        if (grants.length === 0) return
        if (denied.body instanceof RegExp) expect(answer.body).not.toMatch(denied.body)
        else expect(answer.body).not.toBe(denied.status === allowed ? denied.body : undefined)
      })

      if (grants.length > 1) {
        it(`with all of these but one: ${what}`, async () => {
          for (const missing of grants) {
            const world = await untouched
            const rights = new Rights(grants.filter((grant) => grant !== missing))
            const answer = await world.ask(rights, request, bodyOf(row))
            if (denied.status === 403)
              expect([answer.status === 403, missing]).toEqual([!missing.startsWith('key:a/1'), missing])
            else if (!(denied.body instanceof RegExp)) expect([answer.body, missing]).toEqual([denied.body, missing])
          }
        })
      }
    }
  })
}
