/** The mesh settings of a service. Reference: definitions.md#proxies, catalog.md#proxy-object. */
export interface MeshFacts {
  /** The service speaks mesh TLS itself, without a proxy. */
  readonly native: boolean
  /** The service that it represents, and the upstreams that it connects it to; null: it is no proxy. */
  readonly proxy: ProxyFacts | null
}

export interface ProxyFacts {
  /** The name of the service that the proxy represents. */
  readonly destination: string
  /** The ID of the instance that it represents; empty: not stated. */
  readonly destinationId: string
  /** The address at which that instance accepts the proxy's connections; empty and 0: unspecified. */
  readonly localAddress: string
  readonly localPort: number
  /** Settings for the proxy: a JSON object with sorted members; empty: none. */
  readonly config: string
  readonly upstreams: readonly ProxyUpstream[]
}

/**
 * How an agent runs a proxy as a process of its own, which is deprecated. Reference: mesh.md#managed-proxies,
 * configuration.md#connect-proxy-defaults.
 */
export interface ManagedFacts {
  /** `daemon` or `script`; empty: the agent's setting applies. */
  readonly execMode: string
  /** The program and its arguments; empty: the agent's setting applies. */
  readonly command: readonly string[]
}

/** A service that a proxy connects to for its own service, and the local address for that. */
export interface ProxyUpstream {
  /** `service` or `prepared_query`. */
  readonly type: string
  readonly namespace: string
  readonly name: string
  /** Empty: the proxy's datacenter. */
  readonly datacenter: string
  /** Empty: 127.0.0.1. */
  readonly localAddress: string
  readonly localPort: number
  /** As the settings of the proxy. */
  readonly config: string
}

export const proxyKind = 'connect-proxy'
export const serviceUpstream = 'service'
export const queryUpstream = 'prepared_query'

/** Undefined if the definition contains nothing of effect. */
export function meshFactsOf(native: boolean, proxy: ProxyFacts): MeshFacts | undefined {
  const saysNothing = Object.values(proxy).every((value: unknown) => value === '' || value === 0 || isEmptyList(value))
  return saysNothing && !native ? undefined : { native, proxy: saysNothing ? null : proxy }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

interface InMesh {
  readonly kind: string
  readonly service: string
  readonly mesh?: MeshFacts | undefined
}

/**
 * The service that is reached through this instance over the mesh; undefined: the instance takes no part in the mesh.
 */
export function meshDestination({ kind, service, mesh }: InMesh): string | undefined {
  if (kind === proxyKind) return mesh?.proxy?.destination === '' ? undefined : mesh?.proxy?.destination
  return mesh?.native === true ? service : undefined
}

/** All reasons why this cannot be a proxy. Reference: definitions.md#proxies. */
export function proxyProblems({ kind, port, mesh }: InMesh & { readonly port: number }): readonly string[] {
  if (kind !== proxyKind) return []
  const destination = mesh?.proxy?.destination.trim() ?? ''
  return [
    ...(destination === '' ? ['Proxy.DestinationServiceName must be non-empty for Connect proxy services'] : []),
    ...(port === 0 ? ['Port must be set for a Connect proxy'] : []),
    ...(mesh?.native === true ? ['A Proxy cannot also be Connect Native, only typical services'] : []),
  ]
}
