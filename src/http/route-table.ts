import { invariant } from '../base/invariant.ts'
import type { HttpMethod, Operations, Route } from '../features/contract/route.ts'

/** A route in the table, with values computed once that every request to it needs. */
export interface MountedRoute<Context> {
  readonly route: Route<Context>
  readonly operations: Operations<Context>
  readonly methods: readonly HttpMethod[]
  /** The value of `Allow`, for requests that ask for it and for those with another method. */
  readonly allow: string
  readonly allowInstead: string
  /** The metric of a request by method: `http.GET.v1.kv._`; those of other methods share `otherMetric`. */
  readonly metrics: ReadonlyMap<string, string>
  readonly otherMetric: string
}

export type Match<Context> =
  | { readonly kind: 'route'; readonly mounted: MountedRoute<Context>; readonly rest: string }
  /** A prefix route requested without its slash. */
  | { readonly kind: 'redirect'; readonly path: string }
  | { readonly kind: 'none' }

/** Finds the route of a path: the exact one, otherwise the longest prefix. */
export interface RouteTable<Context> {
  match(path: string): Match<Context>
}

const none = { kind: 'none' } as const
const plainPath = /^\/(v1|debug)(\/[a-z0-9_-][a-z0-9_.-]*)+\/?$/

/**
 * `options`: whether every route has the method OPTIONS. @throws InvariantViolation if two routes claim one path, or a
 * path is one that cannot be requested.
 */
export function routeTable<Context>(routes: readonly Route<Context>[], options = true): RouteTable<Context> {
  const exact = new Map<string, MountedRoute<Context>>()
  const prefixes = new Map<string, MountedRoute<Context>>()
  const ends = new Map<string, MountedRoute<Context>>()
  const endings = new Map<string, readonly Ending<Context>[]>()
  let depthMax = 0
  for (const route of routes) {
    invariant(plainPath.test(route.path), 'a route needs a plain path under /v1 or /debug', { path: route.path })
    const isPrefix = route.path.endsWith('/')
    invariant(isPrefix === (route.rest !== undefined), 'what follows a path needs a name', { path: route.path })
    const table = route.path.endsWith('/') ? (route.below === undefined ? prefixes : ends) : exact
    const key = route.path + (route.below ?? '')
    invariant(!table.has(key), 'two routes claim one path', { path: key })
    table.set(key, mount(route, route.operations, options))
    if (table === prefixes) endings.set(route.path, endingsOf(route, options))
    if (table === prefixes) depthMax = Math.max(depthMax, route.path.split('/').length - 1)
  }
  return {
    match(path: string): Match<Context> {
      const mounted = exact.get(path)
      if (mounted !== undefined) return { kind: 'route', mounted, rest: '' }
      const end = ends.size === 0 ? undefined : endOf(ends, path)
      if (end !== undefined) return end
      const prefix = longestPrefix(prefixes, depthMax, path)
      if (prefix !== undefined) return below(prefix, endings, path.slice(prefix.route.path.length))
      return prefixes.has(`${path}/`) ? { kind: 'redirect', path: `${path}/` } : none
    },
  }
}

type Ending<Context> = readonly [ending: string, mounted: MountedRoute<Context>]

function endingsOf<Context>(route: Route<Context>, options: boolean): readonly Ending<Context>[] {
  return Object.entries(route.endings ?? {}).map(
    ([ending, operations]) => [ending, mount(route, operations, options)] as const,
  )
}

/** `/v1/query/<whatever>/execute`. */
function below<Context>(
  prefix: MountedRoute<Context>,
  endings: ReadonlyMap<string, readonly Ending<Context>[]>,
  rest: string,
): Match<Context> {
  for (const [ending, mounted] of endings.get(prefix.route.path) ?? []) {
    if (rest.endsWith(ending)) return { kind: 'route', mounted, rest: rest.slice(0, -ending.length) }
  }
  return { kind: 'route', mounted: prefix, rest }
}

/** `/v1/operator/area/<one segment>/members`. */
function endOf<Context>(ends: ReadonlyMap<string, MountedRoute<Context>>, path: string): Match<Context> | undefined {
  const last = path.lastIndexOf('/')
  const before = path.lastIndexOf('/', last - 1)
  const mounted = ends.get(path.slice(0, before + 1) + path.slice(last + 1))
  const rest = path.slice(before + 1, last)
  return mounted === undefined || rest === '' ? undefined : { kind: 'route', mounted, rest }
}

/** Looks only up to the `depthMax`-th slash, so that a key with a thousand slashes costs no more than one with two. */
function longestPrefix<Context>(
  prefixes: ReadonlyMap<string, MountedRoute<Context>>,
  depthMax: number,
  path: string,
): MountedRoute<Context> | undefined {
  let found: MountedRoute<Context> | undefined
  let at = path.indexOf('/')
  for (let depth = 1; at >= 0 && depth <= depthMax; depth++) {
    if (depth > 1) found = prefixes.get(path.slice(0, at + 1)) ?? found
    at = path.indexOf('/', at + 1)
  }
  return found
}

/** Methods with a metric of their own: a caller may invent others without end. */
const measuredMethods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']

function mount<Context>(
  route: Route<Context>,
  operations: Operations<Context>,
  options: boolean,
): MountedRoute<Context> {
  const parts = `${route.path}${route.below === undefined ? '' : `/${route.below}`}`.split('/').slice(1)
  const metric = parts.map((part) => (part === '' ? '_' : part)).join('.')
  const methods = Object.keys(operations) as HttpMethod[]
  invariant(methods.length > 0, 'a route needs a method', { path: route.path })
  const allow = [...(options ? ['OPTIONS'] : []), ...methods].join(',')
  return {
    route,
    operations,
    methods,
    allow,
    allowInstead: route.endings === undefined ? allow : methods.join(','),
    metrics: new Map(measuredMethods.map((method) => [method, `http.${method}.${metric}`])),
    otherMetric: `http.other.${metric}`,
  }
}
