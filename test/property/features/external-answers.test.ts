import { describe, expect, it } from 'vitest'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { HttpResponse } from '../../../src/env/http.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import { readCertificates } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import { onMachine } from '../../conformance/secrets-manager/machine.ts'
import { leafWish, managerOptions, managerToken, mesh, must } from '../../contract/connect/provider-world.ts'
import { fc } from '../../fast-check.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

/** What becomes of one answer on its way. */
type Spoiling =
  | { readonly kind: 'replaced'; readonly status: number; readonly body: string }
  | { readonly kind: 'byte'; readonly at: number; readonly to: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'sound' }

const anyJson = fc.json({ maxDepth: 3 })
const spoiling: fc.Arbitrary<Spoiling> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Spoiling>({ kind: 'sound' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replaced' as const),
      status: fc.constantFrom(200, 204, 301, 307, 400, 403, 404, 429, 500, 503),
      body: fc.oneof(
        anyJson,
        fc.string(),
        anyJson.map((json) => `{"data":${json},"auth":${json}}`),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('byte' as const), at: fc.nat(4_000), to: fc.nat(127) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fc.nat(4_000) }) },
)

function spoilt(answer: HttpResponse, how: Spoiling): HttpResponse {
  const body = typeof answer.body === 'string' ? utf8(answer.body) : new Uint8Array(0)
  if (how.kind === 'replaced') return { status: how.status, headers: [], body: how.status === 204 ? '' : how.body }
  if (how.kind === 'cut') return { ...answer, body: textOf(body.subarray(0, how.at)) }
  if (how.kind === 'byte' && body.length > 0) body[how.at % body.length] = how.to
  return { ...answer, body: textOf(body) }
}

describe('the external provider, whatever it is answered', () => {
  it('ends every call with a result, names no token, and gives out what leads to its root or nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spoiling, { minLength: 1, maxLength: 24 }), (spoilings) =>
        onMachine(async (env) => {
          const manager = new SecretsManager(env)
          const mounts = ['mesh-root', 'mesh-intermediate']
          manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts, sudo: true })
          let calls = 0
          const handler: Parameters<typeof env.http.serve>[1] = async (request) =>
            spoilt(await manager.answer(request), spoilings[calls++] ?? { kind: 'sound' })
          must(await env.http.serve({ host: '10.0.0.1', port: 8200 }, handler))
          const provider = externalKind.open(env, managerOptions('http://10.0.0.1:8200'), mesh)
          for (let attempt = 0; attempt < 3; attempt++) {
            const root = await provider.root(undefined, '1')
            const leaf = await provider.signLeaf((await leafWish(env)).wish)
            for (const each of [root, leaf]) if (!each.ok) expect(each.error.message).not.toContain(managerToken)
            if (!root.ok || !leaf.ok) continue
            const [own] = must(readCertificates(leaf.value.certificate))
            const behind = (leaf.value.behind ?? []).flatMap((pem) => must(readCertificates(pem)))
            const question = { atMs: env.clock.wallMs(), usage: 'server', trustDomain: mesh.trustDomain } as const
            if (own === undefined) throw new Error('there is no leaf')
            must(verifyChain(env.crypto, own, behind, must(readCertificates(root.value.certificate)), question))
          }
          provider.close()
        }),
      ),
      { numRuns: long ? 5_000 : 15 },
    )
  })
})
