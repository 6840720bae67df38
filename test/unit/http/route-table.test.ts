import { describe, expect, it } from 'vitest'
import { InvariantViolation } from '../../../src/base/invariant.ts'
import type { HttpMethod, Route } from '../../../src/features/contract/route.ts'
import { routeTable } from '../../../src/http/route-table.ts'
import { planned } from './planned.ts'

const route = (path: string, methods: readonly HttpMethod[] = ['GET']): Route => ({
  path,
  ...(path.endsWith('/') ? { rest: { name: 'rest', about: '' } } : {}),
  operations: planned(methods, async () => ({ kind: 'empty', status: 200 })),
})

const ended = { kind: 'empty', status: 204 } as const
const table = routeTable([
  route('/v1/status/leader'),
  route('/v1/kv/', ['GET', 'PUT', 'DELETE']),
  route('/v1/health/state/'),
  route('/v1/agent/check/'),
  route('/v1/agent/check/register', ['PUT']),
])

function found(path: string): string {
  const match = table.match(path)
  if (match.kind === 'route') return `${match.mounted.route.path} + ${JSON.stringify(match.rest)}`
  return match.kind === 'redirect' ? `to ${match.path}` : 'none'
}

describe('the route table', () => {
  it.each([
    ['/v1/status/leader', '/v1/status/leader + ""'],
    ['/v1/status/leader/', 'none'],
    ['/v1/status', 'none'],
    ['/v1/kv/', '/v1/kv/ + ""'],
    ['/v1/kv/a/b c/', '/v1/kv/ + "a/b c/"'],
    ['/v1/kv', 'to /v1/kv/'],
    ['/v1/kvs', 'none'],
    ['/v1/health/state/any', '/v1/health/state/ + "any"'],
    ['/v1/health/state', 'to /v1/health/state/'],
    ['/v1/health/', 'none'],
    ['/v1/agent/check/register', '/v1/agent/check/register + ""'],
    ['/v1/agent/check/registered', '/v1/agent/check/ + "registered"'],
    ['/V1/kv/a', 'none'],
    ['/', 'none'],
  ])('finds for %s: %s', (path, expected) => {
    expect(found(path)).toBe(expected)
  })

  it('finds what a path ends with, and cuts it off', () => {
    const all = planned(['GET', 'PUT'], async () => ({ kind: 'empty', status: 200 }))
    const { match } = routeTable([
      { ...route('/v1/query/'), operations: all, endings: { '/execute': planned(['GET'], async () => ended) } },
    ])
    expect(match('/v1/query/a/b/execute')).toMatchObject({ rest: 'a/b', mounted: { methods: ['GET'] } })
    expect(match('/v1/query/execute')).toMatchObject({ rest: 'execute', mounted: { methods: ['GET', 'PUT'] } })
    expect(match('/v1/query/a/explain')).toMatchObject({ rest: 'a/explain', mounted: { methods: ['GET', 'PUT'] } })
  })

  it('works out Allow and the metric of each route once', () => {
    const match = table.match('/v1/kv/a')
    expect(match).toMatchObject({
      kind: 'route',
      mounted: { allow: 'OPTIONS,GET,PUT,DELETE', otherMetric: 'http.other.v1.kv._' },
    })
    expect(match.kind === 'route' && match.mounted.metrics.get('GET')).toBe('http.GET.v1.kv._')
  })

  it.each([
    ['two routes of one path', [route('/v1/a'), route('/v1/a')]],
    ['a path outside /v1', [route('/v2/a')]],
    ['a path that cleaning would change', [route('/v1//a')]],
    ['a route without a method', [route('/v1/a', [])]],
    ['a prefix whose rest has no name', [{ path: '/v1/a/', operations: route('/v1/a').operations }]],
  ])('is not built from %s', (_what, routes) => {
    expect(() => routeTable(routes)).toThrow(InvariantViolation)
  })
})
