import { describe, expect, it } from 'vitest'
import { features } from '../../../src/agent/assembly/features.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import type { Operations, Route, RouteResponse } from '../../../src/features/contract/route.ts'
import { createHttpFace } from '../../../src/http/face.ts'
import type { FaceContext } from '../../../src/http/route-call.ts'
import { fakeContext, request } from './fake-context.ts'

const secret = 'f3a0c1d2-5b6e-4f70-8a91-b2c3d4e5f607'
const encodedTwice = [...secret].map((char) => `%25${char.charCodeAt(0).toString(16)}`).join('')
const mixedCase = secret.replaceAll('a', 'A').replaceAll('c', 'C')

/** What would give the secret away, in any spelling. */
const traces = ['5b6e', '4f70', '8a91', 'b2c3d4e5f607', '%61', '%62', '%66', 'f3a0']

/** The routes of a whole agent, which do nothing but answer so. */
function routesAnswering(response: RouteResponse): readonly Route<FaceContext>[] {
  const doing = (operations: Operations): Operations<unknown> =>
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, { ...operation, handle: async () => response }]),
    )
  return features.flatMap(({ routes }) =>
    (routes ?? []).map(({ endings, ...route }) => ({
      ...route,
      operations: doing(route.operations),
      ...(endings === undefined
        ? {}
        : { endings: Object.fromEntries(Object.entries(endings).map(([end, of]) => [end, doing(of)])) }),
    })),
  )
}

function faceOf(routes: readonly Route<FaceContext>[]) {
  const { context, lines, samples } = fakeContext()
  const handler = createHttpFace({ context, routes, config: defaultAgentConfig('n', '127.0.0.1').http })
  const logged = () => JSON.stringify([lines, samples]).toLowerCase()
  const ask = (line: string, headers: Readonly<Record<string, string>> = {}) => handler(request(line, { headers }))
  return { ask, lines, logged }
}

const failing: RouteResponse = {
  kind: 'failure',
  failure: { kind: 'refused', message: `what was sent with ${secret} is refused` },
}
const fine: RouteResponse = { kind: 'empty', status: 200 }

/** Each route as it would be asked for with this below it. */
function placesOf({ path, below, endings }: Route, rest: string): readonly string[] {
  if (!path.endsWith('/')) return [path]
  return [
    `${path}${rest}${below === undefined ? '' : `/${below}`}`,
    ...Object.keys(endings ?? {}).map((end) => path + rest + end),
  ]
}

describe('a secret in a request', () => {
  const inQueries = [
    `token=${secret}`,
    `TOKEN=${secret}`,
    `Token=${secret}`,
    `tOkEn=${secret}`,
    `t%6Fken=${secret}`,
    `%54OKEN=${secret}`,
    `tokne=${secret}`,
    `x-svc-token=${secret}`,
    `token%20=${secret}`,
    `token%3d${secret}`,
    `token[]=${secret}`,
    secret,
    `${secret}=`,
    `=${secret}`,
    `stale=${secret}`,
    `pretty=${secret}`,
    `dc=${secret}`,
    `dc=%66${secret.slice(1)}`,
    `dc=${encodedTwice}`,
    `index=${secret}`,
    `TOKEN=%zz${secret}`,
  ]

  it.each([
    ['answers', fine],
    ['fails', failing],
  ])('is in no line of the log where it is put into the query of any route that %s', async (_how, response) => {
    const routes = routesAnswering(response)
    const { ask, logged, lines } = faceOf(routes)
    for (const route of routes) {
      for (const place of placesOf(route, 'x')) {
        for (const method of ['GET', 'PUT', 'PATCH']) {
          for (const query of inQueries) await ask(`${method} ${place}?dc=a&${query};wait=1s`)
        }
      }
    }
    expect(lines.length).toBeGreaterThan(3_000)
    for (const trace of traces) expect(logged()).not.toContain(trace)
  })

  it('is in no line of the log where it is put into the path of any route', async () => {
    const routes = routesAnswering(failing)
    const { ask, logged, lines } = faceOf(routes)
    for (const route of routes) {
      for (const spelled of [secret, mixedCase, secret.replaceAll('-', ''), `%66${secret.slice(1)}`, encodedTwice]) {
        for (const rest of [spelled, `a/${spelled}/b`, `token=${spelled}`, `x${spelled}`]) {
          for (const place of placesOf(route, rest))
            for (const method of ['GET', 'PUT', 'DELETE']) await ask(`${method} ${place}`)
        }
      }
    }
    expect(lines.length).toBeGreaterThan(3_000)
    for (const trace of traces) expect(logged()).not.toContain(trace)
  })

  it('of a form of its own is in no line where an ID of access control or of a session belongs', async () => {
    const routes = routesAnswering(fine)
    const { ask, logged, lines } = faceOf(routes)
    const below = routes.filter(({ path }) => /^\/v1\/(acl|session|agent\/token)\/.*\/$/.test(path))
    for (const route of below.filter(({ path }) => path !== '/v1/session/node/')) {
      for (const method of ['GET', 'PUT', 'DELETE']) await ask(`${method} ${route.path}my-own-f3a0`)
    }
    expect(lines.length).toBe(30)
    expect(logged()).not.toContain('f3a0')
  })

  it('of a form of its own is in no line where the request comes with it', async () => {
    const { ask, logged } = faceOf(routesAnswering(fine))
    for (const path of [
      '/v1/kv/my-own-f3a0',
      '/v1/kv/a/m%79-own-f3a0',
      '/v1/kv/m%2579-own-f3a0',
      '/v1/kv/a?dc=my-own-f3a0',
    ]) {
      await ask(`GET ${path}`, { 'x-svc-token': 'my-own-f3a0' })
      await ask(`GET ${path}`, { authorization: 'Bearer my-own-f3a0' })
    }
    expect(logged()).not.toContain('f3a0')
  })

  it('is all that is hidden: what a route declares and what names things is shown', async () => {
    const { ask, lines } = faceOf(routesAnswering(fine))
    await ask('GET /v1/kv/web/color%20a?recurse&dc=dc2&token=a&stale&x=1&wait=10s')
    await ask('GET /v1/catalog/service/web?tag=v1;tag=v2')
    await ask('GET /v1/acl/info/s?dc=x')
    await ask('GET /v1/acl/%69nfo/s')
    expect(lines.map(({ fields }) => fields['target'])).toEqual([
      '/v1/kv/web/color%20a?recurse&dc=dc2&token=<hidden>&stale&<hidden>&wait=10s',
      '/v1/catalog/service/web?tag=v1;tag=v2',
      '/v1/acl/info/<hidden>?dc=x',
      '/v1/acl/info/<hidden>',
    ])
  })
})
