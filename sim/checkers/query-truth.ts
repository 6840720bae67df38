import { judgedAtRest } from './checker.ts'
/** What a prepared query selects, as `/v1/query` lists it. */
export interface AskedQuery {
  readonly name: string
  readonly service: string
  readonly onlyPassing: boolean
  readonly ignoredChecks: readonly string[]
  /** `!tag`: instances without the tag. */
  readonly tags: readonly string[]
  readonly nodeMeta: Readonly<Record<string, string>>
  readonly nearestN: number
  readonly datacenters: readonly string[]
}

/** An instance in the answer of `/v1/health/service` of one datacenter. */
export interface HeldInstance {
  /** Node and service ID: `c1/web`. */
  readonly name: string
  readonly tags: readonly string[]
  readonly nodeMeta: Readonly<Record<string, string>>
  readonly checks: readonly { readonly id: string; readonly status: string }[]
}

/** The answer to the execution of a query. */
export interface ToldExecution {
  readonly datacenter: string
  readonly failovers: number
  /** Names of the instances. */
  readonly found: readonly string[]
}

/** The state of the world while a query is executed. */
export interface QueryWorld {
  /** The datacenter of the query. */
  readonly own: string
  /** All other datacenters, the nearest first. */
  readonly others: readonly string[]
  /** The instances of the query's service there; undefined: that datacenter does not answer. */
  held(datacenter: string): readonly HeldInstance[] | undefined
}

/**
 * Q1. A query returns all instances of its datacenter that it selects, as the health endpoint shows them. Only if there
 * are none, it tries other datacenters: as many of the nearest as it says, then those it names, each once, until one
 * has some.
 */
export function queryFault(query: AskedQuery, told: ToldExecution, world: QueryWorld): string | undefined {
  const expected = expectedOf(query, world)
  const shown = ({ datacenter, failovers, found }: ToldExecution): string =>
    `${sorted(found) || 'nothing'} in ${datacenter} after ${failovers} failovers`
  return shown(told) === shown(expected)
    ? undefined
    : `query ${query.name} finds ${shown(told)}, but by the health endpoint it should find ${shown(expected)}`
}

function expectedOf(query: AskedQuery, { own, others, held }: QueryWorld): ToldExecution {
  const here = findable(query, held(own) ?? [])
  let last: ToldExecution = { datacenter: own, failovers: 0, found: here }
  if (here.length > 0) return last
  const named = query.datacenters.filter((datacenter) => others.includes(datacenter))
  const tried = [...others.slice(0, query.nearestN), ...named]
  for (const [at, datacenter] of tried.entries()) {
    if (tried.indexOf(datacenter) < at) continue
    const there = held(datacenter)
    const failovers = last.failovers + 1
    // A datacenter that does not answer is counted, and the previous result is returned.
    last = there === undefined ? { ...last, failovers } : { datacenter, failovers, found: findable(query, there) }
    if (last.found.length > 0) return last
  }
  return last
}

function findable(query: AskedQuery, held: readonly HeldInstance[]): readonly string[] {
  const found = held.filter(({ tags, nodeMeta, checks }) => {
    const has = (tag: string): boolean => tags.some((own) => own.toLowerCase() === tag.toLowerCase())
    if (!query.tags.every((tag) => (tag.startsWith('!') ? !has(tag.slice(1)) : has(tag)))) return false
    if (!Object.entries(query.nodeMeta).every(([key, value]) => nodeMeta[key] === value)) return false
    const counted = checks.filter(({ id }) => !query.ignoredChecks.includes(id))
    return counted.every(({ status }) => (query.onlyPassing ? status === 'passing' : status !== 'critical'))
  })
  return found.map(({ name }) => name)
}

function sorted(names: readonly string[]): string {
  return [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(' ')
}

export const queryTruth = judgedAtRest({
  Q1: {
    text: 'queries: a query finds the instances that the health endpoint returns, and asks other datacenters, in its order, only if none is found locally',
    sources: ['docs/reference/prepared-queries.md#order-and-failover'],
    evidence: ['queries', 'catalog', 'requests', 'forwards'],
    judges: ['query', 'queries'],
    excuses: {
      'many names':
        'A template answers many names, and a query of the mesh names proxies: neither is compared; as long as it is one.',
    },
  },
})
