import { type Judge, judgedAtRest } from '../checker.ts'
/** An instance of a service, as `/v1/health/service` shows it. */
export interface ToldInstance {
  /** `c1/web`: node and service ID. */
  readonly name: string
  /** `c1:8080`: where DNS sends a client. */
  readonly place: string
  /** Statuses of the instance's checks and the node's. */
  readonly checks: readonly string[]
}

/** The answers of one agent about one service, over HTTP and DNS, at one index. */
export interface ServiceViews {
  readonly service: string
  /** Names in the answer of `/v1/catalog/service`. */
  readonly catalog: readonly string[]
  readonly health: readonly ToldInstance[]
  /** Names in the answer of `/v1/health/service?passing`. */
  readonly passing: readonly string[]
  /** Places in the answer to an SRV question over TCP; undefined: the service's name cannot be a DNS name. */
  readonly dns: readonly string[] | undefined
  /** The agent's `dns_config.only_passing`: its DNS leaves out instances with a warning, too. */
  readonly onlyPassing: boolean
}

/**
 * E2. The answers from the catalog and from health name the same instances, `passing` has those whose checks all pass,
 * and DNS sends clients to those without a critical check, or to these alone.
 */
export function viewFaults(views: ServiceViews): readonly string[] {
  const { service, catalog, health, passing, dns, onlyPassing } = views
  const names = health.map(({ name }) => name)
  const well = health.filter(({ checks }) => checks.every((status) => status === 'passing'))
  const offered = onlyPassing ? well : health.filter(({ checks }) => !checks.includes('critical'))
  const faults = [
    difference(`/v1/catalog/service/${service}`, catalog, 'the health endpoint has', names),
    difference(
      `/v1/health/service/${service}?passing`,
      passing,
      'the passing instances there are',
      well.map(({ name }) => name),
    ),
  ]
  if (dns !== undefined) {
    const which = `the instances that are ${onlyPassing ? 'passing' : 'not critical'} are`
    const places = offered.map(({ place }) => place)
    faults.push(difference(`DNS for ${service}`, dns, which, places))
  }
  return faults.filter((fault) => fault !== undefined)
}

/** Counts one service whose answers have come to rest. */
export function countViews({ judged, excused }: Judge<{ E2: 'no name in DNS' }>, { dns }: ServiceViews): void {
  judged('E2')
  if (dns === undefined) excused('E2', 'no name in DNS')
}

function difference(
  who: string,
  said: readonly string[],
  whatElse: string,
  expected: readonly string[],
): string | undefined {
  const [one, other] = [sorted(said), sorted(expected)]
  return one === other ? undefined : `${who} has ${one || 'nothing'}, but ${whatElse} ${other || 'nothing'}`
}

function sorted(texts: readonly string[]): string {
  return [...new Set(texts)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(' ')
}

export const oneTruth = judgedAtRest({
  E2: {
    text: 'one source: HTTP and DNS return the same instances of a service',
    sources: ['docs/reference/dns.md#health-order-limits'],
    evidence: ['catalog', 'requests', 'names'],
    judges: ['service', 'services'],
    excuses: {
      'no name in DNS':
        'A service whose name is no label of DNS is compared over HTTP alone; as long as it is named so.',
    },
  },
})
