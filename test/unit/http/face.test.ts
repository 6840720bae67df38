import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import type { HttpConfig } from '../../../src/agent/settings/http-settings.ts'
import { bytesOf, textOf } from '../../../src/base/bytes.ts'
import { type InvariantViolation, invariant } from '../../../src/base/invariant.ts'
import type { HttpResponse } from '../../../src/env/http.ts'
import type { HttpMethod, Route, RouteRequest, RouteResponse } from '../../../src/features/contract/route.ts'
import { createHttpFace } from '../../../src/http/face.ts'
import type { FaceContext } from '../../../src/http/route-call.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import type { Release } from '../../../src/model/release.ts'
import { fakeContext, type RequestParts, request } from './fake-context.ts'
import { planned } from './planned.ts'

interface Options {
  readonly config?: Partial<HttpConfig>
  readonly release?: Release
  readonly path?: string
  readonly methods?: readonly HttpMethod[]
  readonly actingToken?: (secret: string) => string
}

/** A face with one route, which answers what `handle` says and keeps what it was asked. */
function face(
  handle: (request: RouteRequest<string>) => RouteResponse | Promise<RouteResponse>,
  options: Options = {},
) {
  const { context, lines, samples } = fakeContext(options.release)
  const asked: RouteRequest<string>[] = []
  const fatal: InvariantViolation[] = []
  const path = options.path ?? '/v1/thing/'
  const route: Route<FaceContext> = {
    path,
    ...(path.endsWith('/') ? { rest: { name: 'rest', about: '' } } : {}),
    operations: planned(options.methods ?? ['GET', 'PUT'], async (_agent, routeRequest) => {
      asked.push(routeRequest)
      return handle(routeRequest)
    }),
  }
  const config = { ...defaultAgentConfig('n', '127.0.0.1').http, ...options.config }
  const onFatal = (violation: InvariantViolation): void => void fatal.push(violation)
  const acting = options.actingToken === undefined ? {} : { actingToken: options.actingToken }
  const handler = createHttpFace({ context, routes: [route], config, onFatal, ...acting })
  const ask = (line: string, parts?: RequestParts) => handler(request(line, parts))
  return { ask, asked, fatal, lines, samples }
}

const fine = (): RouteResponse => ({ kind: 'json', value: { a: '<b>' } })
const header = (response: HttpResponse, name: string) =>
  response.headers.filter(([other]) => other === name).map(([, value]) => value)
const shown = ({ status, headers, body }: HttpResponse) => ({
  status,
  headers: Object.fromEntries(headers),
  body: body instanceof Uint8Array ? textOf(body) : body,
})
const vary = { Vary: 'Accept-Encoding' }
const text = { 'Content-Type': 'text/plain; charset=utf-8' }

describe('the token of a request', () => {
  it('may stand for another, which counts in its place', async () => {
    const { ask, asked } = face(fine, { actingToken: (secret) => (secret === 'proxy' ? 'service' : secret) })
    await ask('GET /v1/thing/a?token=proxy')
    await ask('GET /v1/thing/a', { headers: { 'x-svc-token': 'own' } })
    await ask('GET /v1/thing/a')
    expect(asked.map(({ call }) => call.token)).toEqual(['service', 'own', undefined])
  })

  it('[ACL-044] is sent as a parameter, in a header of the product or of an alias, or as a bearer', async () => {
    const { ask, asked } = face(fine, { config: { aliases: ['other'] } })
    await ask('GET /v1/thing/a?token=t1', { headers: { 'x-svc-token': 'no' } })
    await ask('GET /v1/thing/a', { headers: { 'x-svc-token': 't2', authorization: 'Bearer no' } })
    await ask('PUT /v1/thing/a', { headers: { 'x-other-token': 't3' } })
    await ask('GET /v1/thing/a', { headers: { authorization: 'Bearer t4' } })
    await ask('GET /v1/thing/a?token=')
    expect(asked.map(({ call }) => call.token)).toEqual(['t1', 't2', 't3', 't4', undefined])
  })

  it('is in no line of the log', async () => {
    const { ask, lines } = face(() => ({ kind: 'failure', failure: { kind: 'refused', message: 'no' } }))
    await ask('GET /v1/thing/a?token=secret', { headers: { 'x-svc-token': 'secret', authorization: 'Bearer secret' } })
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain('secret')
  })
})

describe('paths', () => {
  it('the index page names the agent', async () => {
    const { ask } = face(fine)
    expect(shown(await ask('GET /'))).toEqual({ status: 200, headers: text, body: 'Svc Agent' })
  })

  it.each(['GET /v1', 'GET /v1/', 'GET /v1/nope', 'GET /v1/things'])(
    'what is unknown is 404, and is named: %s',
    async (line) => {
      const body = `There is no route "${line.split(' ')[1]}" in release 1.4.0`
      expect(shown(await face(fine).ask(line))).toEqual({ status: 404, headers: text, body })
    },
  )

  it('what is unknown is named no further than 128 letters, and none of it can be taken for anything else', async () => {
    const answer = await face(fine).ask(`GET /v1/%22${'a'.repeat(500)}`)
    expect(shown(answer).body).toBe(`There is no route "/v1/\\"${'a'.repeat(123)}" in release 1.4.0`)
    expect(shown(await face(fine).ask('PUT /ui/'))).toEqual({ status: 404, headers: {}, body: '' })
  })

  it('what follows a prefix is handed over decoded once, as a byte string', async () => {
    const { ask, asked } = face(fine)
    await ask('GET /v1/thing/a%2Fb%20%C3%BC%2525/')
    expect(asked.map(({ rest }) => rest)).toEqual(['a/b \xc3\xbc%25/'])
  })

  it.each([
    ['GET /v1//thing/a?raw', '/v1/thing/a?raw'],
    ['GET /v1/thing/a/../b', '/v1/thing/b'],
    ['GET /v1/thing/a%2F%2F"b', '/v1/thing/a/%22b'],
    ['GET /v1/thing?x=%zz', '/v1/thing/?x=%zz'],
  ])('%s redirects to %s before anything looks at method or query', async (line, location) => {
    const { ask, asked } = face(fine)
    const get = shown(await ask(line))
    expect(get.status).toBe(301)
    expect(get.headers).toEqual({ Location: location, 'Content-Type': 'text/html; charset=utf-8' })
    expect(get.body).toBe(`<a href="${location.replaceAll('&', '&amp;')}">Moved Permanently</a>.\n\n`)
    const post = shown(await ask(line.replace('GET', 'POST')))
    expect(post).toEqual({ status: 301, headers: { Location: location }, body: '' })
    expect(asked).toEqual([])
  })

  it('a redirect stays on this agent and is inert', async () => {
    const { ask } = face(fine)
    expect(header(await ask('GET //evil.example/x'), 'Location')).toEqual(['/evil.example/x'])
    const page = shown(await ask('GET //x?<script>\'"&'))
    expect(page.body).toBe('<a href="/x?&lt;script&gt;&#39;&#34;&amp;">Moved Permanently</a>.\n\n')
  })

  it('characters that cannot be seen are refused unless the configuration allows them', async () => {
    const line = 'GET /v1/thing/bad%01key'
    expect(shown(await face(fine).ask(line))).toEqual({ status: 400, headers: {}, body: '' })
    const open = face(fine, { config: { allowUnprintableCharacters: true } })
    expect((await open.ask(line)).status).toBe(200)
    expect(open.asked[0]?.rest).toBe('bad\x01key')
  })

  it('malformed encoding is the caller’s mistake, in the path and in the query', async () => {
    const { ask, asked } = face(fine)
    expect(shown(await ask('GET /v1/thing/%zz'))).toEqual({
      status: 400,
      headers: text,
      body: 'Malformed percent-encoding in path',
    })
    expect(shown(await ask('GET /v1/thing/a?b=%zz'))).toEqual({
      status: 400,
      headers: { ...text, ...vary },
      body: 'Malformed percent-encoding in query string',
    })
    expect(asked).toEqual([])
  })
})

describe('methods', () => {
  it('a method that the route does not have is 405 with Allow', async () => {
    const { ask, asked } = face(fine)
    for (const method of ['POST', 'DELETE', 'HEAD', 'PATCH', 'get']) {
      expect(shown(await ask(`${method} /v1/thing/a`))).toEqual({
        status: 405,
        headers: { Allow: 'OPTIONS,GET,PUT', ...text, ...vary },
        body: `method ${method} not allowed`,
      })
    }
    expect(asked).toEqual([])
  })

  it('OPTIONS is answered with Allow and nothing else', async () => {
    const { ask, asked } = face(fine)
    expect(shown(await ask('OPTIONS /v1/thing/a'))).toEqual({
      status: 200,
      headers: { Allow: 'OPTIONS,GET,PUT', ...vary },
      body: '',
    })
    expect(asked).toEqual([])
  })

  it('an agent of a release before 1.0 takes any verb where there is but one', async () => {
    const old = { release: { major: 0, minor: 9, patch: 3 } }
    const single = face(fine, { ...old, methods: ['GET'] })
    expect((await single.ask('POST /v1/thing/a')).status).toBe(200)
    expect(single.asked[0]?.method).toBe('GET')
    expect((await face(fine, old).ask('POST /v1/thing/a')).status).toBe(405)
  })
})

describe('requests', () => {
  it('blocked prefixes are refused, whatever the method', async () => {
    const { ask, asked } = face(fine, { config: { blockEndpoints: ['/v1/thing/se'] } })
    const blocked = { status: 403, headers: { ...text, ...vary }, body: 'Endpoint is blocked by agent configuration' }
    expect(shown(await ask('GET /v1/thing/secret'))).toEqual(blocked)
    expect(shown(await ask('OPTIONS /v1/thing/%73ecret'))).toEqual(blocked)
    expect((await ask('GET /v1/thing/open')).status).toBe(200)
    expect(asked.map(({ rest }) => rest)).toEqual(['open'])
  })

  it('a body beyond the limit is 413 and reaches no handler', async () => {
    const { ask, asked } = face(fine)
    expect(shown(await ask('PUT /v1/thing/a', { body: 'too-large' }))).toEqual({
      status: 413,
      headers: { ...text, ...vary },
      body: 'Request body exceeds 1048576 byte limit',
    })
    expect(asked).toEqual([])
  })

  it('a token is found under the product’s name, whichever name sent it; an empty one counts as absent', async () => {
    const { ask, asked } = face(fine, { config: { aliases: ['consul', 'Other'] } })
    const sent: Record<string, string>[] = [
      { 'x-consul-token': 'a' },
      { 'x-other-token': 'b' },
      { 'x-svc-token': 'c', 'x-consul-token': 'a' },
      { 'x-svc-token': '', 'x-consul-token': '', 'x-other-token': 'd' },
      { 'x-unknown-token': 'e' },
    ]
    for (const headers of sent) await ask('GET /v1/thing/a', { headers })
    expect(asked.map(({ headers }) => headers().get('x-svc-token'))).toEqual(['a', 'b', 'c', 'd', undefined])
  })
})

describe('answers', () => {
  it('JSON is compact unless asked to be pretty, and never closes a script', async () => {
    const { ask } = face(fine)
    expect(shown(await ask('GET /v1/thing/a'))).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/json', ...vary },
      body: '{"a":"\\u003cb\\u003e"}',
    })
    const pretty = '{\n    "a": "\\u003cb\\u003e"\n}\n'
    expect((await ask('GET /v1/thing/a?pretty=false')).body).toBe(pretty)
    expect((await face(fine, { config: { pretty: true } }).ask('GET /v1/thing/a')).body).toBe(pretty)
  })

  it('a read says index, leader and age under each name; its index is never 0', async () => {
    const meta = { index: noChange, knownLeader: true, lastContactMs: 12.7 }
    const { ask } = face(() => ({ kind: 'json', value: [], meta, consistency: 'default' }))
    const response = await ask('GET /v1/thing/a')
    expect(response.headers.filter(([name]) => name.startsWith('X-'))).toEqual([
      ['X-Svc-Index', '1'],
      ['X-Consul-Index', '1'],
      ['X-Svc-Knownleader', 'true'],
      ['X-Consul-Knownleader', 'true'],
      ['X-Svc-Lastcontact', '12'],
      ['X-Consul-Lastcontact', '12'],
      ['X-Svc-Effective-Consistency', 'leader'],
      ['X-Consul-Effective-Consistency', 'leader'],
    ])
  })

  it('without aliases only the product’s name is sent', async () => {
    const meta = { index: modifyIndexOf(7), knownLeader: false, lastContactMs: 0 }
    const { ask } = face(() => ({ kind: 'empty', status: 404, meta }), { config: { aliases: [] } })
    expect(shown(await ask('GET /v1/thing/a'))).toEqual({
      status: 404,
      headers: { ...vary, 'X-Svc-Index': '7', 'X-Svc-Knownleader': 'false', 'X-Svc-Lastcontact': '0' },
      body: '',
    })
  })

  it('bytes carry a sniffed type and are kept from running; no bytes carry none', async () => {
    const { ask } = face(({ rest }) => ({ kind: 'bytes', bytes: bytesOf(rest) }))
    expect(shown(await ask('GET /v1/thing/%3Chtml%3E')).headers).toEqual({
      ...vary,
      'Content-Type': 'text/html; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': 'sandbox',
    })
    expect(shown(await ask('GET /v1/thing/'))).toEqual({ status: 200, headers: vary, body: '' })
  })

  it('configured headers go with every /v1 answer, errors included, and with nothing else', async () => {
    const responseHeaders = { 'Access-Control-Allow-Origin': '*', 'content-length': '3' }
    const { ask } = face(() => ({ kind: 'failure', failure: { kind: 'no-leader' } }), { config: { responseHeaders } })
    for (const line of ['GET /v1/thing/a', 'POST /v1/thing/a', 'GET /v1/nope', 'GET /v1/thing', 'GET /v1/thing/%01']) {
      const response = await ask(line)
      expect(header(response, 'Access-Control-Allow-Origin')).toEqual(['*'])
      expect(header(response, 'content-length')).toEqual([])
    }
    expect(header(await ask('GET /'), 'Access-Control-Allow-Origin')).toEqual([])
  })

  const failures: readonly [Failure, number, string][] = [
    [{ kind: 'bad-request', message: 'Missing key name' }, 400, 'Missing key name'],
    [{ kind: 'not-found', message: 'Query not found' }, 404, 'Query not found'],
    [{ kind: 'too-large', message: 'Value exceeds' }, 413, 'Value exceeds'],
    [{ kind: 'overloaded', message: 'Too many requests' }, 429, 'Too many requests'],
    [{ kind: 'no-leader' }, 500, 'No cluster leader'],
    [{ kind: 'unknown-datacenter', datacenter: 'x' }, 500, 'No path to datacenter'],
    [{ kind: 'no-servers' }, 500, 'No known Svc servers'],
    [{ kind: 'outcome-unknown', message: 'the leader changed' }, 500, 'the leader changed'],
    [{ kind: 'deadline-exceeded', message: 'timed out' }, 500, 'timed out'],
    [{ kind: 'shutting-down' }, 500, 'Agent is shutting down'],
    [{ kind: 'refused', message: 'no' }, 500, 'no'],
  ]
  it.each(failures)('the failure %j is one line of text', async (failure, status, line) => {
    const { ask } = face(() => ({ kind: 'failure', failure }))
    expect(shown(await ask('GET /v1/thing/a?pretty'))).toEqual({ status, headers: { ...text, ...vary }, body: line })
  })
})

describe('a route that throws', () => {
  it('becomes 500 without its words, and a line in the log', async () => {
    const { ask, lines, fatal } = face(() => {
      throw new TypeError('secret internals')
    })
    const response = shown(await ask('GET /v1/thing/a?token=hush'))
    expect(response).toEqual({ status: 500, headers: { ...text, ...vary }, body: 'Internal error' })
    const line = lines.find(({ level }) => level === 'error')
    expect(line).toMatchObject({
      topic: 'http',
      text: 'a route threw',
      fields: { error: 'TypeError', target: '/v1/thing/a?token=<hidden>', from: '127.0.0.1:4000' },
    })
    expect(JSON.stringify(lines)).not.toMatch(/secret|hush/)
    expect(fatal).toEqual([])
  })

  it('hands a broken invariant on', async () => {
    const { ask, fatal } = face(() => invariant(false, 'the promise', { index: 3 }) as never)
    expect((await ask('GET /v1/thing/a')).status).toBe(500)
    expect(fatal.map(String)).toEqual(['InvariantViolation: the promise (index=3)'])
  })
})

describe('what is recorded', () => {
  it('one sample for each routed request, under names that callers cannot multiply', async () => {
    const { ask, samples } = face(fine)
    for (const line of ['GET /v1/thing/a', 'OPTIONS /v1/thing/b', 'MADE-UP /v1/thing/c', 'GET /v1/nope', 'GET /']) {
      await ask(line)
    }
    expect(samples).toEqual(['http.GET.v1.thing._', 'http.OPTIONS.v1.thing._', 'http.other.v1.thing._'])
  })

  it('failures of the service are logged as errors, mistakes of callers are not', async () => {
    const failing = face(() => ({ kind: 'failure', failure: { kind: 'no-leader' } }))
    await failing.ask('GET /v1/thing/a')
    expect(failing.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { text: 'request failed', fields: { kind: 'no-leader', error: 'No cluster leader', method: 'GET' } },
    ])
    const refusing = face(() => ({ kind: 'failure', failure: { kind: 'bad-request', message: 'no' } }))
    await refusing.ask('GET /v1/thing/a')
    expect(refusing.lines.map(({ level }) => level)).toEqual(['debug'])
  })
})
