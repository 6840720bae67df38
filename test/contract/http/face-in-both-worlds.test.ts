import { request as send } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { bodyBytesMax, type HttpHandler, type HttpListener, type HttpRequest } from '../../../src/env/http.ts'
import { createHostEnv, type HostEnv } from '../../../src/host/env.ts'
import { isWhole } from '../../../src/host/http-response.ts'
import { createHttpFace } from '../../../src/http/face.ts'
import { fc } from '../../fast-check.ts'
import { fakeContext } from '../../unit/http/fake-context.ts'
import { echoRoutes } from './echo-routes.ts'

/**
 * One request to the two worlds' HTTP: straight to the handler, as the simulator asks it, and over a socket to the
 * host's server.
 */

interface Asked {
  readonly method: string
  readonly target: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: Uint8Array
}

interface Shown {
  readonly status: number
  /** In the order sent, less what belongs to the connection. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const config = {
  ...defaultAgentConfig('n', '127.0.0.1').http,
  blockEndpoints: ['/v1/echo/blocked'],
  responseHeaders: { 'Access-Control-Allow-Origin': '*', 'x-lower-Case': 'Kept', Vary: 'Origin' },
}
const connectionHeaders = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

let env: HostEnv
let listener: HttpListener
let handler: HttpHandler

beforeAll(async () => {
  env = createHostEnv({ logSink: () => {}, logLevel: 'error' })
  handler = createHttpFace({ context: fakeContext().context, routes: echoRoutes, config })
  const served = await env.http.serve({ host: '127.0.0.1', port: 0 }, handler)
  if (!served.ok) throw new Error(`the listener did not start: ${served.error.kind}`)
  listener = served.value
})

afterAll(() => {
  listener.close()
  env.close()
})

async function straight({ method, target, headers = [], body }: Asked): Promise<Shown> {
  const sent: HttpRequest = {
    method,
    target,
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: (body?.length ?? 0) > bodyBytesMax ? 'too-large' : (body ?? new Uint8Array(0)),
    remote: { host: '127.0.0.1', port: 1 },
    onAbort: () => {},
  }
  const response = await handler(sent)
  if (!isWhole(response)) throw new Error('a stream')
  const bytes = Buffer.from(typeof response.body === 'string' ? Buffer.from(response.body) : response.body)
  const shown = method === 'HEAD' ? '' : bytes.toString('latin1')
  return { status: response.status, headers: response.headers, body: shown }
}

function overSocket({ method, target, headers = [], body }: Asked): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? [] : ['Content-Length', String(body.length)]
    const options = {
      ...listener.local,
      method,
      path: target,
      headers: ['Host', 'localhost', ...headers.flat(), ...length],
      agent: false,
    }
    const outgoing = send(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const raw = response.rawHeaders
        const pairs = raw.flatMap((name, at): [string, string][] =>
          at % 2 === 0 ? [[name, raw[at + 1] as string]] : [],
        )
        const gzip = pairs.some(([name]) => name === 'Content-Encoding')
        const whole = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: pairs.filter(([name]) => !connectionHeaders.has(name.toLowerCase()) && name !== 'Content-Encoding'),
          body: (gzip && method !== 'HEAD' ? gunzipSync(whole) : whole).toString('latin1'),
        })
      })
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function expectAlike(asked: Asked): Promise<Shown> {
  const [inside, outside] = await Promise.all([straight(asked), overSocket(asked)])
  expect(outside, `${asked.method} ${asked.target}`).toEqual(inside)
  return outside
}

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('the HTTP face gives one answer in both worlds', () => {
  it.each([
    'GET /',
    'HEAD /',
    'PUT /',
    'GET /ui/',
    'GET /v1',
    'GET /v1/',
    'GET /v1/nope?x=%zz',
    'GET /v1/echo',
    'POST /v1/echo?a=b',
    'HEAD /v1//echo/',
    'GET /v1/./echo/..//echo/a',
    'GET //evil.example/%2e%2e',
    'GET /v1/echo/a%2Fb%20%C3%BC%ff%2525?b=1&a=x+y;c&a=%20',
    'GET /v1/echo/a+b!*\'()~@:$&,;=[]{}|\\^`"<>',
    'GET /v1/echo/%00',
    'GET /v1/echo/%e2%80%8b',
    'GET /v1/echo/%zz',
    'GET /v1/echo/%',
    'GET /v1/echo/a?x=%',
    'GET /v1/echo/a?x=%00%ff',
    'GET /v1/echo/a??&&;==?',
    'GET /v1/echo/a#b?c',
    'GET http://elsewhere:1/v1/echo/a?b',
    'GET http://elsewhere',
    'GET *',
    'OPTIONS *',
    'OPTIONS /v1/echo/a',
    'OPTIONS /v1/nope',
    'HEAD /v1/echo/a',
    'PATCH /v1/echo/a',
    'TRACE /v1/echo/a',
    'PROPFIND /v1/throw',
    'M-SEARCH /v1/echo/a',
    'GET /v1/echo/blocked',
    'PUT /v1/echo/%62locked/deeper',
    'GET /v1/echo/a?pretty',
    'GET /v1/answer/empty',
    'HEAD /v1/answer/empty',
    'GET /v1/answer/nothing',
    'GET /v1/answer/text',
    'GET /v1/answer/conflict',
    'GET /v1/answer/conflict?pretty=false',
    'GET /v1/answer/no-leader',
    'GET /v1/answer/overloaded',
    'GET /v1/answer/',
    'GET /v1/answer/%3Chtml%3E',
    'GET /v1/answer/%ff%d8%ff%e0',
    'GET /v1/throw',
  ])('%s', async (line) => {
    const space = line.indexOf(' ')
    await expectAlike({ method: line.slice(0, space), target: line.slice(space + 1) })
  })

  it('bodies reach the route byte for byte, whatever type they claim', async () => {
    const every = Uint8Array.from({ length: 256 }, (_none, i) => i)
    for (const [type, body] of [
      ['application/json', bytes('{broken')],
      ['application/x-www-form-urlencoded', bytes('a=b&c')],
      ['text/plain', every],
      ['', new Uint8Array(0)],
    ] as const) {
      const headers = type === '' ? [] : [['Content-Type', type] as const]
      const { status, body: shown } = await expectAlike({ method: 'PUT', target: '/v1/echo/a', headers, body })
      expect([status, JSON.parse(shown).body]).toEqual([200, Buffer.from(body).toString('base64')])
    }
    await expectAlike({ method: 'DELETE', target: '/v1/echo/a', body: bytes('with a body') })
    await expectAlike({ method: 'GET', target: '/v1/answer/text', body: bytes('with a body') })
  })

  it('the limit of a body is the same byte', async () => {
    const whole = Buffer.alloc(bodyBytesMax, 'x')
    expect((await expectAlike({ method: 'PUT', target: '/v1/echo/a', body: whole })).status).toBe(200)
    const larger = Buffer.alloc(bodyBytesMax + 1, 'x')
    expect((await expectAlike({ method: 'PUT', target: '/v1/echo/a', body: larger })).status).toBe(413)
    expect((await expectAlike({ method: 'PATCH', target: '/v1/echo/a', body: larger })).status).toBe(405)
  })

  it('headers are found in any case, repeated ones joined, tokens under every name', async () => {
    const asked = { method: 'GET', target: '/v1/echo/a' }
    for (const headers of [
      [['X-SVC-TOKEN', 'own']],
      [['x-consul-token', 'alias']],
      [
        ['X-Svc-Token', ''],
        ['X-Consul-Token', 'alias'],
      ],
      [['X-Other', 'na\xefve \x09 value']],
    ] as const) {
      await expectAlike({ ...asked, headers })
    }
    const { body } = await overSocket({
      ...asked,
      headers: [
        ['X-Other', 'one'],
        ['x-other', 'two'],
      ],
    })
    expect(JSON.parse(body).other).toBe('one, two')
  })

  it('compression changes the coding and nothing else', async () => {
    const headers = [['Accept-Encoding', 'gzip']] as const
    for (const target of ['/v1/echo/a', '/v1/answer/no-leader', '/v1/answer/', '/', '/v1/nope', '/v1/echo']) {
      await expectAlike({ method: 'GET', target, headers })
    }
  })

  it('a target of many segments is one key', async () => {
    await expectAlike({ method: 'GET', target: `/v1/echo/${'a/'.repeat(10_000)}` })
  })

  it('any target and any body', async () => {
    // What Node's parser lets through: it refuses other bytes with 400 before any handler sees them.
    const unit = fc.integer({ min: 0x21, max: 0x7e })
    const text = fc.string({ unit: unit.map((byte) => String.fromCharCode(byte)), maxLength: 20 })
    const piece = fc.oneof(
      text,
      fc.constantFrom('/', '..', '%2F', '%0', '%41', '?', '&', ';', '+', 'v1/echo/', 'v1/answer/'),
    )
    const target = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)
    const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH')
    const body = fc.option(fc.uint8Array({ maxLength: 64 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(method, target, body, async (verb, where, what) => {
        await expectAlike({ method: verb, target: where, ...(what === undefined ? {} : { body: what }) })
      }),
      { numRuns: process.env['SVC_TEST_LONG'] === '1' ? 20_000 : 150 },
    )
  })
})
