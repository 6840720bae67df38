import { nearest } from '../../../src/base/edit-distance.ts'
import { parseCheckDefinition, parseServiceDefinition } from '../../../src/features/agent/definitions.ts'
import type { CheckDefinition, ServiceDefinition } from '../../../src/model/catalog.ts'
import { type Pick, partsOf, type Selector } from '../../notation/selector.ts'
import type { Scenario } from './scenario-schema.ts'

type Kind = 'servers' | 'clients'
interface Defined {
  readonly checks: readonly CheckDefinition[]
  readonly services: readonly ServiceDefinition[]
}

const kindsOf = (group: string): readonly Kind[] =>
  group === 'clients'
    ? ['clients']
    : group === 'nodes' || group === 'other nodes'
      ? ['servers', 'clients']
      : ['servers']

/** The TTL checks of agents, so that a heartbeat for a missing one is reported before the run. */
export class ToldChecks {
  /** By datacenter and kind of agent. */
  readonly #ttl = new Map<string, Set<string>>()
  /** Checks with another kind of probe. */
  readonly #others = new Set<string>()
  /** Checks that steps register later, anywhere. */
  readonly #later = new Set<string>()
  /** A step registers something that only the run knows. */
  #unknown = false

  /** Agents of a kind have these from their start, at least with some seed. */
  has(datacenter: string, kind: Kind, defined: Defined): void {
    const place = `${datacenter}/${kind}`
    const ttl = this.#ttl.get(place) ?? new Set()
    this.#ttl.set(place, ttl)
    this.#note(defined, ttl)
  }

  /** Checks that steps register: by another configuration, or over HTTP. */
  registered(scenario: Scenario, read: (config: object) => Defined | undefined): void {
    for (const step of scenario.steps ?? []) {
      for (const config of [step.reload?.config, step.upgrade?.config]) {
        const defined = config === undefined ? undefined : read(config)
        if (defined !== undefined) this.#note(defined, this.#later)
      }
      for (const http of [step.http, ...(step.together ?? []).map((item) => item.http)]) {
        const kind = /\/v1\/agent\/(check|service)\/register/.exec(http?.request.text ?? '')?.[1]
        if (kind !== undefined) this.#overHttp(kind, http?.body?.text)
      }
    }
  }

  /** Why a heartbeat for this check would have no effect; undefined if it would. */
  problem(at: Selector, check: string): string | undefined {
    if (this.#unknown || this.#later.has(check)) return undefined
    const lacking = this.#placesOf(at.pick).find((place) => this.#ttl.get(place)?.has(check) === false)
    if (lacking === undefined) return undefined
    const [datacenter, kind] = lacking.split('/')
    const agents = `${kind === 'clients' ? 'client agents' : 'servers'} of ${datacenter}`
    if (this.#others.has(check)) return `the check '${check}' of the ${agents} is no TTL check and needs no reports`
    const known = [...(this.#ttl.get(lacking) ?? [])]
    const meant = nearest(check, known)
    if (meant !== undefined) return `the ${agents} have no check '${check}': did you mean '${meant}'?`
    const said =
      known.length === 0 ? "no TTL check: define one under 'config'" : `these TTL checks: ${known.join(', ')}`
    return `the ${agents} have no check '${check}'; they have ${said}`
  }

  #note({ checks, services }: Defined, ttl: Set<string>): void {
    const all = [...checks, ...services.flatMap((service) => [...service.checks, ...(service.sidecar?.checks ?? [])])]
    for (const { checkId, probe } of all) (probe.kind === 'ttl' ? ttl : this.#others).add(checkId)
  }

  #overHttp(kind: string, body: string | undefined): void {
    const value = body === undefined || body.includes('${') ? undefined : jsonOf(body)
    if (value === undefined) {
      this.#unknown = true
      return
    }
    const check = kind === 'check' ? parseCheckDefinition(value, 'http') : undefined
    if (check?.ok === true) this.#note({ checks: [check.value], services: [] }, this.#later)
    const service = kind === 'service' ? parseServiceDefinition(value, 'http') : undefined
    if (service?.ok === true) this.#note({ checks: [], services: [service.value] }, this.#later)
  }

  /** The places of agents that a selection certainly means. A name only tells whether it is of a server. */
  #placesOf(pick: Pick): readonly string[] {
    return [...partsOf(pick)].flatMap((part) => {
      if (part.kind === 'group') return this.#places(kindsOf(part.group), part.datacenter)
      if (part.kind !== 'node') return []
      const places = this.#places([part.name.startsWith('c') ? 'clients' : 'servers'], undefined)
      return places.length === 1 ? places : []
    })
  }

  #places(kinds: readonly Kind[], datacenter: string | undefined): readonly string[] {
    return [...this.#ttl.keys()].filter((place) => {
      const [of, kind] = place.split('/')
      return kinds.some((one) => one === kind) && (datacenter === undefined || datacenter === of)
    })
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
