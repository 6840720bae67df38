import {
  type AliasChange,
  type AliasTarget,
  type CheckHeard,
  checkText,
  serviceText,
} from '../checkers/registrations/registration-facts.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** One request to an agent, and the state that it creates if it is answered with success. */
export interface RegistrationRequest {
  readonly target: string
  readonly body?: object
  readonly items: ReadonlyMap<string, string | undefined>
  readonly heard: readonly CheckHeard[]
  /** Absent: it changes no alias check. */
  readonly aliases?: readonly AliasChange[]
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
  /** Whether it comes with a sidecar. */
  readonly sidecar: boolean
}

const put = '/v1/agent'
const noteOf = (value: string): string => `since ${value}`

/**
 * Registers a service with tags, port, weights and metadata that no other change of the run has; with an address of its
 * own, of either family, the name of a host, or that of its node; and in the mesh or not, if it may be.
 */
export function registering(registered: Registered, value: string, draws: Draws): RegistrationRequest {
  const { name, id, ttlMs, mesh, anyAddress } = registered
  const port = 1 + draws.below(60_000)
  const weights = { passing: 1 + draws.below(9), warning: draws.below(3) }
  const tags = [value, draws.below(2) === 0 ? 'blue' : 'green']
  const notes = noteOf(value)
  const address = drawnAddress(draws, anyAddress)
  const native = mesh && draws.below(2) === 0
  const meta = [['by', value]] as const
  const service = { service: name, address, port, tags, meta, weights, mesh: { native, proxy: null } }
  const check = { name: `Service '${name}' check`, notes, serviceId: id }
  const beside = registered.sidecar ? sidecarOf(registered, { address, port }) : noSidecar
  return {
    target: `${put}/service/register`,
    body: {
      ID: id,
      Name: name,
      ...(address === '' ? {} : { Address: address }),
      Port: port,
      ...(native || registered.sidecar ? { Connect: { Native: native, ...beside.body } } : {}),
      Tags: tags,
      Meta: { by: value },
      Weights: { Passing: weights.passing, Warning: weights.warning },
      Check: { TTL: `${ttlMs}ms`, Notes: notes },
    },
    items: new Map([
      [`service ${id}`, serviceText(service)],
      [`check service:${id}`, checkText(check)],
      ...beside.items,
    ]),
    heard: [{ checkId: `service:${id}`, ttlMs, status: 'as it was' }],
    aliases: beside.aliases,
  }
}

type Sidecar = Pick<RegistrationRequest, 'items'> & {
  readonly body: object
  readonly aliases: readonly AliasChange[]
}

const noSidecar: Sidecar = { body: {}, items: new Map(), aliases: [] }

/** A sidecar that leaves everything to the agent: its port, and checks of its port and of its service. */
function sidecarOf({ name, id }: Registered, { address, port }: { address: string; port: number }): Sidecar {
  const own = `${id}${sidecarEnding}`
  const proxy = { destination: name, destinationId: id, localAddress: '', localPort: port, config: '', upstreams: [] }
  const service = {
    service: `${name}${sidecarEnding}`,
    address,
    port: 0,
    tags: [],
    meta: null,
    weights: { passing: 1, warning: 1 },
    mesh: { native: false, proxy },
  }
  const listening = { name: 'Connect Sidecar Listening', notes: '', serviceId: own }
  const aliasing = { ...listening, name: `Connect Sidecar Aliasing ${id}` }
  return {
    body: { SidecarService: {} },
    items: new Map([
      [`service ${own}`, serviceText(service)],
      [`check service:${own}:1`, checkText(listening)],
      [`check service:${own}:2`, checkText(aliasing)],
    ]),
    aliases: [{ checkId: `service:${own}:2`, target: { node: '', service: id } }],
  }
}

const sidecarEnding = '-sidecar-proxy'

function drawnAddress(draws: Draws, isAny: boolean): string {
  const family = draws.below(isAny ? 5 : 4)
  const [high, low] = [draws.below(250), 1 + draws.below(250)]
  if (family === 2) return `10.9.${high}.${low}`
  if (family === 4) return `host-${high}.example`
  const last = low.toString(16)
  return family === 3 ? `fd00::${high.toString(16)}:${isAny && low % 2 > 0 ? last.padStart(4, '0') : last}` : ''
}

/** Deregisters a service and all its checks. */
export function deregistering({ id, ttlMs, sidecar }: Registered): RegistrationRequest {
  const own = `${id}${sidecarEnding}`
  const beside = sidecar ? [`service ${own}`, `check service:${own}:1`, `check service:${own}:2`] : []
  return {
    target: `${put}/service/deregister/${id}`,
    items: new Map([
      [`service ${id}`, undefined],
      [`check service:${id}`, undefined],
      [`check ${extraOf(id)}`, undefined],
      [`check _service_maintenance:${id}`, undefined],
      [`check ${aliasOf(id)}`, undefined],
      ...beside.map((item) => [item, undefined] as const),
    ]),
    heard: [{ checkId: `service:${id}`, ttlMs, status: 'gone' }],
    aliases: [
      { checkId: aliasOf(id), target: undefined },
      ...(sidecar ? [{ checkId: `service:${own}:2`, target: undefined }] : []),
    ],
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

function aliasOf(id: string): string {
  return `${id}-alias`
}

/** Adds a check of the service that stands for other checks. */
export function aliasing({ id }: Registered, value: string, target: AliasTarget): RegistrationRequest {
  const check = { name: `alias of ${id}`, notes: noteOf(value), serviceId: id }
  const { node, service } = target
  return {
    target: `${put}/check/register`,
    body: {
      ID: aliasOf(id),
      Name: check.name,
      ServiceID: id,
      Notes: check.notes,
      ...(node === '' ? {} : { AliasNode: node }),
      ...(service === '' ? {} : { AliasService: service }),
    },
    items: new Map([[`check ${aliasOf(id)}`, checkText(check)]]),
    heard: [],
    aliases: [{ checkId: aliasOf(id), target }],
  }
}

export function removingAlias({ id }: Registered): RegistrationRequest {
  return {
    target: `${put}/check/deregister/${aliasOf(id)}`,
    items: new Map([[`check ${aliasOf(id)}`, undefined]]),
    heard: [],
    aliases: [{ checkId: aliasOf(id), target: undefined }],
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
