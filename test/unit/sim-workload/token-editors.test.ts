import { expect, it } from 'vitest'
import { TokenEditor } from '../../../sim/workload/token-editor.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

interface OldToken {
  readonly Type: string
  readonly Rules: string
}

it('changes the rules of a legacy token or its type, one at a time', async () => {
  const kept = new Map<string, OldToken>()
  const changes: string[] = []
  await inSimulation({}, async (simulation) => {
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ target, body }: HttpRequest) => {
          const { ID = `t${kept.size}`, ...sent } = JSON.parse(textOf(body as Uint8Array) || '{}')
          const before = kept.get(ID)
          if (target === '/v1/acl/update' && before !== undefined) {
            changes.push(`${before.Type !== sent.Type} ${before.Rules !== sent.Rules}`)
          }
          if (!target.startsWith('/v1/acl/destroy/')) kept.set(ID, sent)
          return { status: 200, headers: [], body: JSON.stringify({ ID }) }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'editors', host: '10.0.0.9' }).boot((env) => {
      const world = { decisions: simulation.decisions, agent: () => http, secret: () => 'root', onList: () => {} }
      const plan = { name: 'office', places: 3, prefix: undefined, names: ['a', 'b'], isOld: true, ratePerSecond: 10 }
      new TokenEditor(env, plan, world).start()
    })
    await simulation.run({ untilMs: 10_000 })
  })
  const of = (change: string) => changes.filter((each) => each === change).length
  expect(of('true false')).toBeGreaterThan(3)
  expect(of('false true')).toBeGreaterThan(3)
  expect(of('true true')).toBe(0)
})

it('makes a token for each place, edits all but every third, and lists the secrets in the order of places', async () => {
  const { lines, listed } = await inSimulation({}, async (simulation) => {
    const lines: string[] = []
    let listed: readonly string[] = []
    const policies: string[] = []
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ method, target, body, headers }: HttpRequest) => {
          const sent = JSON.parse(textOf(body as Uint8Array) || '{}') as { readonly Name?: string }
          lines.push(`${method} ${target} ${headers.get('x-svc-token')}`)
          if (target === '/v1/acl/policy') policies.push(sent.Name ?? '')
          const made = { AccessorID: `a${lines.length}`, SecretID: `s${lines.length}` }
          const known = policies.map((name) => ({ ID: name, Name: name }))
          return { status: 200, headers: [], body: JSON.stringify(method === 'GET' ? known : made) }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'editors', host: '10.0.0.9' }).boot((env) => {
      const world = {
        decisions: simulation.decisions,
        agent: () => http,
        secret: () => 'root',
        onList: (secrets: readonly string[]) => {
          listed = secrets.filter((secret) => secret !== '')
        },
      }
      const plan = { name: 'office', places: 4, prefix: 'room-#/', names: [], isOld: false, ratePerSecond: 10 }
      new TokenEditor(env, plan, world).start()
    })
    await simulation.run({ untilMs: 10_000 })
    return { lines, listed }
  })
  expect(listed).toHaveLength(4)
  expect(new Set(listed).size).toBe(4)
  expect(lines.every((line) => line.endsWith(' root'))).toBe(true)
  const of = (start: string) => lines.filter((line) => line.startsWith(start))
  expect(of('DELETE /v1/acl/token/').length).toBeGreaterThan(3)
  expect(of('PUT /v1/acl/token/').length).toBeGreaterThan(3)
  const made = of('PUT /v1/acl/token root').length - 4
  expect(of('DELETE /v1/acl/token/').length - made).toBeLessThanOrEqual(2)
  expect(new Set(of('PUT /v1/acl/policy/'))).toEqual(
    new Set(['PUT /v1/acl/policy/office-1 root', 'PUT /v1/acl/policy/office-2 root']),
  )
})
