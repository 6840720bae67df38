import type { OfferedService } from '../../model/catalog.ts'
import {
  type MeshFacts,
  meshFactsOf,
  proxyKind,
  proxyProblems,
  serviceUpstream,
  severalErrors,
} from '../../model/mesh-service.ts'
import type { Dialect, Fields } from './definition-fields.ts'
import {
  connectNames,
  proxyNames,
  type ServiceMembers,
  type ServiceName,
  serviceNames,
  serviceOldSpellings,
  upstreamNames,
} from './definition-names.ts'
import type { DefinitionProblem } from './definition-problems.ts'

/** What a definition says of the mesh beside the service itself. */
export interface Connect {
  readonly native: boolean
  readonly sidecar: Fields<ServiceMembers> | undefined
  readonly managed: boolean
}

const nothing: Connect = { native: false, sidecar: undefined, managed: false }

export function readConnect(fields: Fields<ServiceMembers>): Connect {
  const connect = fields.object('connect', connectNames)
  if (connect === undefined) return nothing
  const sidecar = connect.definition('sidecar', serviceNames, serviceOldSpellings)
  return { native: connect.flag('native'), sidecar, managed: connect.has('proxy') }
}

/** `proxy_destination` is what releases before 1.3.0 knew of a proxy. */
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
    upstreams: upstreams.map((upstream) => ({
      type: upstream.text('type') || serviceUpstream,
      namespace: upstream.text('namespace'),
      name: upstream.text('name'),
      datacenter: upstream.text('datacenter'),
      localAddress: upstream.text('localAddress'),
      localPort: upstream.integer('localPort'),
      config: upstream.settings('config'),
    })),
  })
}

/** What of it does not hold. Reference: HTTP API 4.3. */
export function meshProblem(
  dialect: Dialect,
  fields: Fields<ServiceMembers>,
  service: OfferedService,
  { sidecar, managed }: Connect,
): DefinitionProblem | undefined {
  const nested = sidecar === undefined ? nothing : readConnect(sidecar)
  const wrong = [
    ...proxyProblems(service),
    ...(sidecar?.has('id') === true ? ['A SidecarService cannot specify an ID as this is managed by the agent'] : []),
    ...(nested.sidecar === undefined ? [] : ['A SidecarService cannot have a nested SidecarService']),
    ...(nested.managed ? ['A SidecarService cannot have a managed proxy'] : []),
  ]
  const at = (key: ServiceName, message: string, remedy = ''): DefinitionProblem => {
    return { path: fields.pathOf(key), message, remedy }
  }
  if (wrong.length > 0) return at(service.kind === proxyKind ? 'kind' : 'connect', severalErrors(wrong))
  if (!managed) return undefined
  if (dialect === 'http') return at('connect', 'Bad request: Managed proxy registration via the API is disallowed.')
  return at('connect', 'Invalid service: this agent starts no proxies (connect.proxy)', 'write connect.sidecar_service')
}

const sidecarEnding = '-sidecar-proxy'

/** Of what a sidecar does not say, the agent knows the most. Its port is left to when it is registered. */
export function sidecarFacts(given: OfferedService, token: string, parent: OfferedService): OfferedService {
  const service = given.service || `${parent.service}${sidecarEnding}`
  const proxy = given.mesh?.proxy
  const noPlace = !proxy || (proxy.localAddress === '' && proxy.localPort < 1)
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
        localPort: noPlace ? parent.port : (proxy?.localPort ?? 0),
        config: proxy?.config ?? '',
        upstreams: proxy?.upstreams ?? [],
      },
    },
  }
}
