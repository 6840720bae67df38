import type { OfferedService } from '../../model/catalog.ts'
import {
  type ManagedFacts,
  type MeshFacts,
  meshFactsOf,
  type ProxyUpstream,
  proxyKind,
  proxyProblems,
  serviceUpstream,
} from '../../model/mesh-service.ts'
import { severalErrors } from '../../model/several-errors.ts'
import type { Fields } from './definition-fields.ts'
import {
  connectNames,
  managedNames,
  proxyNames,
  type ServiceMembers,
  type ServiceName,
  serviceNames,
  serviceOldSpellings,
  type UpstreamMembers,
  upstreamNames,
} from './definition-names.ts'
import type { DefinitionProblem } from './definition-problems.ts'

/** The mesh part of a service definition. */
export interface Connect {
  readonly native: boolean
  readonly sidecar: Fields<ServiceMembers> | undefined
  readonly managed: Managed | undefined
}

/** A proxy that the agent runs as a process. `config` is JSON; empty if there is none. */
interface Managed extends ManagedFacts {
  readonly config: string
  readonly upstreams: readonly ProxyUpstream[]
}

const nothing: Connect = { native: false, sidecar: undefined, managed: undefined }

export function readConnect(fields: Fields<ServiceMembers>): Connect {
  const connect = fields.object('connect', connectNames)
  if (connect === undefined) return nothing
  const sidecar = connect.definition('sidecar', serviceNames, serviceOldSpellings)
  const proxy = connect.object('proxy', managedNames)
  const managed = proxy && {
    execMode: proxy.text('execMode'),
    command: proxy.texts('command'),
    config: proxy.settings('config'),
    upstreams: proxy.objects('upstreams', upstreamNames).map(readUpstream),
  }
  return { native: connect.flag('native'), sidecar, managed }
}

function readUpstream(upstream: Fields<UpstreamMembers>): ProxyUpstream {
  return {
    type: upstream.text('type') || serviceUpstream,
    namespace: upstream.text('namespace'),
    name: upstream.text('name'),
    datacenter: upstream.text('datacenter'),
    localAddress: upstream.text('localAddress'),
    localPort: upstream.integer('localPort'),
    config: upstream.settings('config'),
  }
}

/** Releases before 1.3.0 know only `proxy_destination`. */
export function readMesh(fields: Fields<ServiceMembers>, { native }: Connect): MeshFacts | undefined {
  const proxy = fields.object('proxy', proxyNames)
  const destination = fields.text('proxyDestination')
  const upstreams = proxy?.objects('upstreams', upstreamNames) ?? []
  return meshFactsOf(native, {
    destination: proxy?.text('destination') || destination,
    destinationId: proxy?.text('destinationId') ?? '',
    localAddress: proxy?.text('localAddress') ?? '',
    localPort: proxy?.integer('localPort') ?? 0,
    config: proxy?.settings('config') ?? '',
    upstreams: upstreams.map(readUpstream),
  })
}

/** Why the mesh part of a definition is invalid. Reference: definitions.md#proxies, definitions.md#sidecars. */
export function meshProblem(
  fields: Fields<ServiceMembers>,
  service: OfferedService,
  { native, sidecar, managed }: Connect,
): DefinitionProblem | undefined {
  const nested = sidecar === undefined ? nothing : readConnect(sidecar)
  const wrong = [
    ...proxyProblems(service),
    ...(sidecar?.has('id') === true ? ['A SidecarService cannot specify an ID as this is managed by the agent'] : []),
    ...(nested.sidecar === undefined ? [] : ['A SidecarService cannot have a nested SidecarService']),
    ...(nested.managed === undefined ? [] : ['A SidecarService cannot have a managed proxy']),
    ...(managed === undefined ? [] : managedProblems(service, native, sidecar !== undefined)),
  ]
  if (wrong.length === 0) return undefined
  const key: ServiceName = service.kind === proxyKind ? 'kind' : 'connect'
  return { path: fields.pathOf(key), message: severalErrors(wrong), remedy: '' }
}

function managedProblems(service: OfferedService, native: boolean, hasSidecar: boolean): readonly string[] {
  return [
    ...(service.kind === proxyKind ? ['A Proxy cannot have a managed proxy'] : []),
    ...(native ? ['Services that are Connect native may not have a proxy configuration'] : []),
    ...(service.port === 0 ? ['Services with a Connect managed proxy must have a port set'] : []),
    ...(hasSidecar ? ['A service cannot have both a SidecarService and a managed proxy'] : []),
  ]
}

const sidecarEnding = '-sidecar-proxy'

/**
 * A proxy that the agent runs, as a service. Its settings contain its bind address and the address of its service; the
 * agent's defaults are added at registration.
 */
export function managedProxy(
  { execMode, command, config, upstreams }: Managed,
  parent: OfferedService,
): OfferedService {
  return {
    kind: proxyKind,
    id: `${parent.id}${managedEnding}`,
    service: `${parent.service}${managedEnding}`,
    tags: [],
    address: parent.address,
    meta: null,
    port: 0,
    weights: { passing: 1, warning: 1 },
    enableTagOverride: false,
    ...(parent.token === undefined ? {} : { token: parent.token }),
    sidecarOf: parent.id,
    managed: { execMode, command },
    weightless: true,
    mesh: {
      native: false,
      proxy: {
        destination: parent.service,
        destinationId: parent.id,
        localAddress: '127.0.0.1',
        localPort: parent.port,
        config,
        upstreams,
      },
    },
  }
}

const managedEnding = '-proxy'

/** Most settings of a sidecar default to the agent's. Its port is chosen at registration. */
export function sidecarFacts(given: OfferedService, token: string, parent: OfferedService): OfferedService {
  const service = given.service || `${parent.service}${sidecarEnding}`
  const proxy = given.mesh?.proxy
  const { token: _own, ...facts } = given
  const ofToken = token || (parent.token ?? '')
  return {
    ...facts,
    ...(ofToken === '' ? {} : { token: ofToken }),
    kind: proxyKind,
    id: `${parent.id}${sidecarEnding}`,
    service,
    address: given.address || parent.address,
    sidecarOf: parent.id,
    mesh: {
      native: false,
      proxy: {
        destination: proxy?.destination || parent.service,
        destinationId: proxy?.destinationId || parent.id,
        localAddress: proxy?.localAddress || '127.0.0.1',
        localPort: proxy !== undefined && proxy !== null && proxy.localPort > 0 ? proxy.localPort : parent.port,
        config: proxy?.config ?? '',
        upstreams: proxy?.upstreams ?? [],
      },
    },
  }
}
