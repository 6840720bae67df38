import { type CheckHeard, checkText, serviceText } from '../checkers/registrations/registration-facts.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** One request to an agent, and the state that it creates if it is answered with success. */
export interface RegistrationRequest {
  readonly target: string
  readonly body?: object
  readonly items: ReadonlyMap<string, string | undefined>
  readonly heard: readonly CheckHeard[]
}

/** A service that a client registers with its agent, with a TTL check of its own and sometimes another check. */
export interface Registered {
  readonly name: string
  readonly id: string
  readonly ttlMs: number
  /** Whether it may itself speak the mesh's TLS. */
  readonly mesh: boolean
  /** Whether its address may also be the name of a host, or an IPv6 address with zeros that its shortest form lacks. */
  readonly anyAddress: boolean
}

const put = '/v1/agent'
const noteOf = (value: string): string => `since ${value}`

/**
 * Registers a service with tags, port, weights and metadata that no other change of the run has; with an address of its
 * own, of either family, the name of a host, or that of its node; and in the mesh or not, if it may be.
 */
export function registering(
  { name, id, ttlMs, mesh, anyAddress }: Registered,
  value: string,
  draws: Draws,
): RegistrationRequest {
  const port = 1 + draws.below(60_000)
  const weights = { passing: 1 + draws.below(9), warning: draws.below(3) }
  const tags = [value, draws.below(2) === 0 ? 'blue' : 'green']
  const notes = noteOf(value)
  const address = drawnAddress(draws, anyAddress)
  const native = mesh && draws.below(2) === 0
  const meta = [['by', value]] as const
  const service = { service: name, address, port, tags, meta, weights, mesh: { native, proxy: null } }
  const check = { name: `Service '${name}' check`, notes, serviceId: id }
  return {
    target: `${put}/service/register`,
    body: {
      ID: id,
      Name: name,
      ...(address === '' ? {} : { Address: address }),
      Port: port,
      ...(native ? { Connect: { Native: true } } : {}),
      Tags: tags,
      Meta: { by: value },
      Weights: { Passing: weights.passing, Warning: weights.warning },
      Check: { TTL: `${ttlMs}ms`, Notes: notes },
    },
    items: new Map([
      [`service ${id}`, serviceText(service)],
      [`check service:${id}`, checkText(check)],
    ]),
    heard: [{ checkId: `service:${id}`, ttlMs, status: 'as it was' }],
  }
}

function drawnAddress(draws: Draws, isAny: boolean): string {
  const family = draws.below(isAny ? 5 : 4)
  const [high, low] = [draws.below(250), 1 + draws.below(250)]
  if (family === 2) return `10.9.${high}.${low}`
  if (family === 4) return `host-${high}.example`
  const last = low.toString(16)
  return family === 3 ? `fd00::${high.toString(16)}:${isAny && low % 2 > 0 ? last.padStart(4, '0') : last}` : ''
}

/** Deregisters a service and all its checks. */
export function deregistering({ id, ttlMs }: Registered): RegistrationRequest {
  return {
    target: `${put}/service/deregister/${id}`,
    items: new Map([
      [`service ${id}`, undefined],
      [`check service:${id}`, undefined],
      [`check ${extraOf(id)}`, undefined],
      [`check _service_maintenance:${id}`, undefined],
    ]),
    heard: [{ checkId: `service:${id}`, ttlMs, status: 'gone' }],
  }
}

function extraOf(id: string): string {
  return `${id}-extra`
}

/** Adds a further check of the service, for which no report ever comes within a run. */
export function addingCheck({ id }: Registered, value: string): RegistrationRequest {
  const check = { name: `extra of ${id}`, notes: noteOf(value), serviceId: id }
  return {
    target: `${put}/check/register`,
    body: { ID: extraOf(id), Name: check.name, ServiceID: id, Notes: check.notes, TTL: '24h', Status: 'passing' },
    items: new Map([[`check ${extraOf(id)}`, checkText(check)]]),
    heard: [],
  }
}

export function removingCheck({ id }: Registered): RegistrationRequest {
  return {
    target: `${put}/check/deregister/${extraOf(id)}`,
    items: new Map([[`check ${extraOf(id)}`, undefined]]),
    heard: [],
  }
}

const reason = 'it is mended'

export function maintainingService({ id }: Registered, enable: boolean): RegistrationRequest {
  const check = { name: 'Service Maintenance Mode', notes: reason, serviceId: id }
  return {
    target: `${put}/service/maintenance/${id}?enable=${enable}&reason=${encodeURIComponent(reason)}`,
    items: new Map([[`check _service_maintenance:${id}`, enable ? checkText(check) : undefined]]),
    heard: [],
  }
}

export function maintainingNode(enable: boolean): RegistrationRequest {
  const check = { name: 'Node Maintenance Mode', notes: reason, serviceId: '' }
  return {
    target: `${put}/maintenance?enable=${enable}&reason=${encodeURIComponent(reason)}`,
    items: new Map([['check _node_maintenance', enable ? checkText(check) : undefined]]),
    heard: [],
  }
}

const verbs = { passing: 'pass', warning: 'warn', critical: 'fail' } as const

export function reporting({ id, ttlMs }: Registered, status: keyof typeof verbs, value: string): RegistrationRequest {
  return {
    target: `${put}/check/${verbs[status]}/service:${id}?note=${value}`,
    items: new Map(),
    heard: [{ checkId: `service:${id}`, ttlMs, status }],
  }
}
