import { checker, type Judge } from '../checker.ts'
import { everyCheck, type HeldInstance, has, inOrder } from './held.ts'
import { type DefinedQuery, QueryBook } from './query-book.ts'
import { heldHealthText } from './read-truth.ts'

/** Where a query is executed, and which instances exist. */
export interface ExecutedAt {
  /** The asked agent. */
  readonly agent: string
  /** The agent is in the query's datacenter, so distances from it are known. */
  readonly isHere: boolean
  /** Of the query. */
  readonly datacenter: string
  /** The service that the agents have; there is no instance of any other. */
  readonly service: string
  /** All other datacenters, the nearest first. */
  readonly others: readonly string[]
  /** The instances that the agents of a datacenter have; none of an unknown datacenter. */
  held(datacenter: string): readonly HeldInstance[]
}

export interface ExecutedQuery {
  readonly datacenter: string
  readonly failovers: number
  readonly found: readonly HeldInstance[]
  /** The node whose instance must come first, if one is found there; empty: any order is right. */
  readonly first: string
}

/**
 * What a query must return, written independently of the program: instances of its own datacenter; if there are none,
 * those of the first datacenter that has some, as many of the nearest as it says and then those it names, each once.
 * `caller`: the address that a proxy names as the caller's; without one, no node has the caller's address.
 */
export function executed(query: DefinedQuery, at: ExecutedAt, near = '', caller = ''): ExecutedQuery {
  const named = near === '' ? query.near : near
  const first = at.isHere ? nodeMeant(named, at, caller) : ''
  const held = (datacenter: string) => (query.service === at.service ? at.held(datacenter) : [])
  const here = findable(query, held(at.datacenter))
  let last: ExecutedQuery = { datacenter: at.datacenter, failovers: 0, found: here, first }
  if (here.length > 0) return last
  const others = [
    ...at.others.slice(0, query.nearestN),
    ...query.datacenters.filter((datacenter) => at.others.includes(datacenter)),
  ]
  for (const datacenter of new Set(others)) {
    const found = findable(query, held(datacenter))
    last = { datacenter, failovers: last.failovers + 1, found, first: '' }
    if (found.length > 0) return last
  }
  return last
}

function nodeMeant(named: string, { agent, datacenter, held }: ExecutedAt, caller: string): string {
  if (named === '_agent') return agent
  return named === '_ip' ? (held(datacenter).find(({ node }) => node.address === caller)?.node.name ?? '') : named
}

function findable(query: DefinedQuery, held: readonly HeldInstance[]): readonly HeldInstance[] {
  return held.filter((each) => {
    const isTagged = (tag: string): boolean => each.tags.some((own) => own.toLowerCase() === tag.toLowerCase())
    if (query.connect && !each.inMesh) return false
    if (!query.tags.every((tag) => (tag.startsWith('!') ? !isTagged(tag.slice(1)) : isTagged(tag)))) return false
    if (!query.nodeMeta.every((pair) => has(each.node.meta, pair))) return false
    const counted = everyCheck(each).filter(({ id }) => !query.ignoredChecks.includes(id))
    return counted.every(({ status }) => (query.onlyPassing ? status === 'passing' : status !== 'critical'))
  })
}

/** The content of an answer to an execution: instances in the form of `heldHealthText`, in its order. */
export interface ToldExecution {
  readonly service: string
  readonly ttl: string
  readonly datacenter: string
  readonly failovers: number
  readonly nodes: readonly string[]
  readonly found: readonly string[]
}

/** What is wrong with an execution. `limit` 0: no limit was requested. */
export function executionFault(
  query: DefinedQuery,
  expected: ExecutedQuery,
  told: ToldExecution,
  limit: number,
): string | undefined {
  const { datacenter, failovers, found } = expected
  const head = (service: string, ttl: string, from: string, after: number): string =>
    `of ${service} in ${from} after ${after} failovers, to be kept for ${ttl || 'no time'}`
  const said = head(told.service, told.ttl, told.datacenter, told.failovers)
  const meant = head(query.service, query.ttlS === 0 ? '' : `${query.ttlS}s`, datacenter, failovers)
  const all = found.map(heldHealthText)
  const most = limit > 0 ? Math.min(limit, all.length) : all.length
  const isPart = told.found.every((text) => all.includes(text))
  if (said !== meant || told.found.length !== most || !isPart) {
    return `finds ${inOrder(told.found, ', ') || 'nothing'} ${said}, and the agents have ${inOrder(all, ', ') || 'nothing'} ${meant}${limit > 0 ? `, of which ${limit}` : ''}`
  }
  return undefined
}

/** What is wrong with the order of an otherwise correct execution. */
export function orderFault({ found, first }: ExecutedQuery, { nodes }: ToldExecution): string | undefined {
  const isThere = found.some(({ node }) => node.name === first)
  if (!isThere || nodes[0] === first || found.length > firstWithin) return undefined
  return `finds ${nodes.join(', ')} in this order, and ${first} comes first`
}

/** Beyond this many instances, that of the named node may be too far back to come first. */
const firstWithin = 10

/**
 * Q2. While nothing changes, a query returns the instances that the agents have, by the definition that was
 * acknowledged last.
 */
export class ExecutedTruth {
  readonly book = new QueryBook()
  readonly #judge: Judge<{ Q2: 'changed meanwhile' }>

  constructor(judge: Judge<{ Q2: 'changed meanwhile' }>) {
    this.#judge = judge
  }

  changed(): void {
    this.#judge.excused('Q2', 'changed meanwhile')
  }

  compared(what: string, fault: string | undefined): void {
    this.#judge.judged('Q2')
    if (fault !== undefined) this.#judge.report('Q2', `${what} ${fault}`)
  }
}

export const executedTruth = checker({
  codes: {
    Q2: {
      text: 'queries: while nothing changes, a prepared query finds what the agents hold, here or in the datacenter that it fails over to, by its last acknowledged definition',
      sources: [
        'docs/reference/prepared-queries.md#order-and-failover',
        'docs/reference/prepared-queries.md#interpolation',
      ],
      evidence: ['queries', 'catalog', 'requests', 'names', 'forwards'],
      judges: ['answer compared', 'answers compared'],
      excuses: {
        'changed meanwhile':
          'The query or what the agents hold changed, or an agent reached no leader, while it was executed; that answer.',
      },
    },
  },
  make: (judge) => new ExecutedTruth(judge),
})
