import { describe, expect, it } from 'vitest'
import { features } from '../../../src/agent/assembly/features.ts'
import { placedOperations } from '../../../src/http/openapi/document.ts'
import { effects, openOperations } from './access-effects.ts'
import { AccessWorld } from './access-world.ts'
import type { Effect } from './effects/effect.ts'
import { type Grant, Rights } from './rights-of.ts'

const routes = features.flatMap((feature) => feature.routes ?? [])
const operations = new Map(
  placedOperations(routes).map(({ path, method, operation }) => [`${method} ${path}`, operation] as const),
)
const endpoints = features.flatMap((feature) => feature.endpoints ?? [])

/** What answers for access control itself is shown with it. */
const isAboutAccess = (name: string): boolean => / \/v1\/(acl|agent\/token)\//.test(name)

const refusal = /Permission denied|denied (by|due to) ACLs/

/** Each of these gives what its caller has already, or the one thing for which no rights exist yet, or no secret. */
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
      'ACL.TokensKept',
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
      'Catalog.Deregister',
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
    it(`${name} is answered to every caller, and checks no right`, async () => {
      const rights = new Rights()
      const answer = await (await AccessWorld.begun()).ask(rights, request)
      expect(rights.asked).toEqual([])
      expect(answer.body).not.toMatch(refusal)
    })
  }
})

/** Changes of what the caller sees: there is nothing to hide. */
const seen: Readonly<Record<string, Grant>> = {
  'DELETE /v1/query/QUERY': 'query:q:read',
  'DELETE /v1/connect/intentions/INTENTION': 'intention:db:read',
  'PUT /v1/session/destroy/SESSION': 'session:node-a:read',
  'PUT /v1/session/renew/SESSION': 'session:node-a:read',
  'PUT /v1/agent/service/deregister/web': 'service:web:read',
  'PUT /v1/agent/service/maintenance/web?enable=true': 'service:web:read',
  'PUT /v1/agent/check/deregister/web': 'service:web:read',
  'PUT /v1/agent/check/deregister/disk': 'node:node-a:read',
  'PUT /v1/agent/check/pass/web': 'service:web:read',
  'GET /v1/agent/connect/proxy/web-proxy': 'service:web:read',
}

/** For refused callers: nothing changes. */
const untouched = AccessWorld.begun()

/**
 * Every caller may execute a query, by contract of the field: that it is there is told, and of what it
 * finds what the caller may see.
 */
const toldToEverybody = new Set(['GET /v1/query/{query}/execute'])

const unknownId = 'cccccccc-0000-4000-8000-00000000000c'

/** What a line quotes of its request. */
function withoutNames(line: string): string {
  return line.replace(/(["']|: )[\w-]+(["']|$)|(?<=Session id )'.*'/g, 'X')
}

/** The request with something in its path that is not there; undefined where its path names nothing. */
function ofAnother(operation: string, request: string): string | undefined {
  const [before = '', after] = operation.split(/\{[a-z]+\}/)
  if (after === undefined || !request.startsWith(before)) return undefined
  const [path = '', query] = request.split('?')
  const named = path.slice(before.length, path.length - after.length)
  const another = /^[A-Z]+$/.test(named) ? unknownId : 'nothing-has-this-name'
  return `${before}${another}${after}${query === undefined ? '' : `?${query}`}`
}

describe('what is not there and what is hidden', () => {
  for (const [request, grant] of Object.entries(seen)) {
    it(`has another effect for a caller that sees it: ${request} with ${grant}`, async () => {
      const world = await untouched
      expect(await world.ask(new Rights([grant]), request)).toEqual({ status: 403, body: 'Permission denied' })
    })
  }

  for (const [name, rows] of Object.entries(effects)) {
    for (const row of rows) {
      const another = toldToEverybody.has(name) ? undefined : ofAnother(name, row.request)
      if (another === undefined || row.grants.length === 0) continue

      it(`have one answer: ${row.request}`, async () => {
        const world = await untouched
        const answers = [row.request, another].map(async (request) => {
          const answer = await world.respond(new Rights(), request, bodyOf(row))
          return JSON.stringify(answer, (member, value) => (member === 'message' ? withoutNames(value) : value))
        })
        const [hidden, absent] = [await answers[0], await answers[1]]
        expect(hidden).toBe(absent)
      })
    }
  }
})

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
            if (missing === row.shows) expect(answer.status).toBe(400)
            else if (denied.status === 403)
              expect([answer.status === 403, missing]).toEqual([!missing.startsWith('key:a/1'), missing])
            else if (!(denied.body instanceof RegExp)) expect([answer.body, missing]).toEqual([denied.body, missing])
          }
        })
      }
    }
  })
}
