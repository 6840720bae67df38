import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../src/agent/settings/default-config.ts'
import { bytesOf } from '../../src/base/bytes.ts'
import type { Route } from '../../src/features/contract/route.ts'
import { createHttpFace } from '../../src/http/face.ts'
import { parseQuery } from '../../src/http/query-parameters.ts'
import type { FaceContext } from '../../src/http/route-call.ts'
import { cleanPath, encodeTarget, parseTarget } from '../../src/http/target.ts'
import { fc } from '../fast-check.ts'
import { fakeContext, request } from '../unit/http/fake-context.ts'
import { planned } from '../unit/http/planned.ts'

const numRuns = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 1_000
const byteText = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)) })
/** Pieces that the matcher looks for, so that random text meets its branches. */
const piece = fc.oneof(
  byteText,
  fc.constantFrom(
    '/',
    '//',
    '.',
    '..',
    '%',
    '%2F',
    '%2e',
    '%zz',
    '?',
    '&',
    ';',
    '=',
    '+',
    'v1',
    'thing',
    'kv',
    '\u20ac',
  ),
)
const pieces = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
const target = fc.oneof(
  pieces.map((text) => `/${text}`),
  pieces.map((text) => `/v1/thing/${text}`),
  pieces,
)
const method = fc.oneof(fc.constantFrom('GET', 'PUT', 'HEAD', 'OPTIONS', 'POST'), fc.string({ minLength: 1 }))

const route: Route<FaceContext> = {
  path: '/v1/thing/',
  rest: { name: 'rest', about: '' },
  operations: planned(['GET', 'PUT'], async (_agent, { rest, query }) => {
    if (query.has('fail')) throw new Error('planned')
    return query.has('raw')
      ? { kind: 'bytes', bytes: bytesOf(rest) }
      : { kind: 'json', value: { rest, query: query.encoded() } }
  }),
}

describe('the HTTP face', () => {
  it('answers whatever it is sent, with headers that are safe to send', async () => {
    const { context } = fakeContext()
    const handler = createHttpFace({ context, routes: [route], config: defaultAgentConfig('n', '127.0.0.1').http })
    await fc.assert(
      fc.asyncProperty(method, target, async (verb, where) => {
        const response = await handler({ ...request(`GET ${where}`), method: verb })
        expect([200, 301, 400, 404, 405, 500]).toContain(response.status)
        for (const [name, value] of response.headers) {
          expect(name).toMatch(/^[A-Za-z-]+$/)
          if (name !== 'Allow') expect(value).toMatch(/^[\x20-\x7e]*$/)
          if (name === 'Location') expect(value).toMatch(/^\/(?!\/)/)
        }
      }),
      { numRuns },
    )
  })
})

describe('targets', () => {
  it('cleaning a path once is enough, and a redirect leads to the cleaned path and the same query', () => {
    fc.assert(
      fc.property(pieces, byteText, (text, rawQuery) => {
        const clean = cleanPath(`/${text.replaceAll('\u20ac', '')}`)
        expect(cleanPath(clean)).toBe(clean)
        const again = parseTarget(encodeTarget(clean, rawQuery))
        expect(again.ok && again.value.path).toBe(clean)
        const before = parseQuery(rawQuery)
        const after = parseQuery(again.ok ? again.value.rawQuery : '')
        expect(after.ok && after.value.encoded()).toBe(before.ok && before.value.encoded())
      }),
      { numRuns },
    )
  })
})

describe('query parameters', () => {
  it('encoded and read again are the same parameters', () => {
    const pairs = fc.array(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' })))
    fc.assert(
      fc.property(pairs, (sent) => {
        const raw = sent.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
        const once = parseQuery(raw)
        const twice = parseQuery(once.ok ? once.value.encoded() : '%')
        for (const [name] of sent) {
          const values = sent.filter(([other]) => other === name).map(([, value]) => value)
          expect(once.ok && once.value.all(name)).toEqual(values)
          expect(twice.ok && twice.value.all(name)).toEqual(values)
        }
      }),
      { numRuns },
    )
  })
})
