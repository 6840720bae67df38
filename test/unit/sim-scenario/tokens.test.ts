import { describe, expect, it } from 'vitest'
import { TokenMaker } from '../../../sim/scenario/steps/tokens.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

interface Asked {
  readonly target: string
  readonly token: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** Tokens that are asked of an agent which answers each call as `answer` says. */
function made(
  wanted: { readonly api: 'old' | 'new'; readonly count: number },
  answer: (asked: Asked, number: number) => readonly [status: number, body: string],
) {
  return inSimulation({}, async (simulation) => {
    const asked: Asked[] = []
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ target, headers, body }: HttpRequest) => {
          const one = {
            target,
            token: headers.get('x-svc-token'),
            body: JSON.parse(textOf(body as Uint8Array)) as Asked['body'],
          }
          asked.push(one)
          const [status, text] = answer(one, asked.length)
          return { status, headers: [], body: text }
        })
        .then(() => undefined),
    )
    const maker = simulation.addNode({ name: 'maker', host: '10.0.0.9' })
    const all = {
      at: undefined,
      with: undefined,
      rules: 'key "shop-#/" { policy = "write" }',
      save: 'the shops',
      ...wanted,
    }
    const result = await simulation.play(
      maker,
      () =>
        new TokenMaker(maker.env, http, 'root', all as unknown as ConstructorParameters<typeof TokenMaker>[3]).make(),
      60_000,
    )
    return { result, asked }
  })
}

describe('the maker of tokens', () => {
  it('makes legacy ones by IDs of its own, each with rules of its own, by the token it is given', async () => {
    const { result, asked } = await made({ api: 'old', count: 70 }, () => [200, '{}'])
    expect(result).toEqual(Array.from({ length: 70 }, (_, at) => `the-shops-${at}`))
    expect(asked).toHaveLength(70)
    expect(new Set(asked.map(({ token }) => token))).toEqual(new Set(['root']))
    const third = asked.find(({ body }) => body['ID'] === 'the-shops-3')
    expect(third?.body['Rules']).toBe('key "shop-3/" { policy = "write" }')
  })

  it('makes new ones with a policy each, which may be there already', async () => {
    const { result, asked } = await made({ api: 'new', count: 2 }, ({ target, body }) => {
      if (target === '/v1/acl/policy') return [500, 'Invalid Policy: A Policy with Name "p" already exists']
      return [200, JSON.stringify({ SecretID: `secret of ${String(body['Description'])}` })]
    })
    expect(result).toEqual(['secret of the-shops-0', 'secret of the-shops-1'])
    const second = asked.find(({ body }) => body['Description'] === 'the-shops-1')
    expect(second?.body['Policies']).toEqual([{ Name: 'the-shops-1' }])
  })

  it('tries again what failed on the other side, and gives up at a refusal, with its words', async () => {
    const again = await made({ api: 'old', count: 1 }, (_, number) =>
      number < 4 ? [500, 'No cluster leader'] : [200, '{}'],
    )
    expect([again.result, again.asked.length]).toEqual([['the-shops-0'], 4])
    const refused = await made({ api: 'old', count: 1 }, () => [403, 'Permission denied\n'])
    expect([refused.result, refused.asked.length]).toEqual(['PUT /v1/acl/create: status 403, Permission denied', 1])
  })
})
