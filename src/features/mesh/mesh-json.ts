import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { MeshFacts, ProxyFacts, ProxyUpstream } from '../../model/mesh-service.ts'
import { settingsJson } from './settings-text.ts'

/**
 * The mesh part of services in answers. Reference: catalog.md#proxy-object,
 * definitions.md#services-as-the-agent-shows-them.
 */

const settings = z.record(
  z.string(),
  z.custom<Json>(() => true),
)

const upstreamShape = z.strictObject({
  DestinationType: z.string(),
  DestinationNamespace: z.string().optional(),
  DestinationName: z.string(),
  Datacenter: z.string().optional(),
  LocalBindAddress: z.string().optional(),
  LocalBindPort: z.number().int(),
  Config: settings.nullable().optional(),
})

/** Unset members are left out. */
export const proxyShape = z
  .strictObject({
    DestinationServiceName: z.string(),
    DestinationServiceID: z.string(),
    LocalServiceAddress: z.string(),
    LocalServicePort: z.number().int(),
    Config: settings,
    Upstreams: z.array(upstreamShape).readonly(),
  })
  .partial()
  .meta({ id: 'Proxy' })

export const connectShape = z.strictObject({ Native: z.boolean() }).partial()

/**
 * `of`: the catalog shows unset members of upstreams; an agent leaves them out, and shows an empty list of upstreams.
 */
export function proxyJson(mesh: MeshFacts | undefined, of: 'catalog' | 'agent'): z.infer<typeof proxyShape> {
  const proxy = mesh?.proxy
  if (proxy === undefined || proxy === null) return {}
  const noUpstreams = proxy.upstreams.length === 0 && of === 'catalog'
  return {
    DestinationServiceName: given(proxy.destination),
    DestinationServiceID: given(proxy.destinationId),
    LocalServiceAddress: given(proxy.localAddress),
    LocalServicePort: proxy.localPort === 0 ? undefined : proxy.localPort,
    Config: settingsOf(proxy),
    Upstreams: noUpstreams ? undefined : proxy.upstreams.map((upstream) => upstreamJson(upstream, of)),
  }
}

function upstreamJson(upstream: ProxyUpstream, of: 'catalog' | 'agent'): z.infer<typeof upstreamShape> {
  const shown = of === 'catalog'
  return {
    DestinationType: upstream.type,
    DestinationNamespace: given(upstream.namespace),
    DestinationName: upstream.name,
    Datacenter: shown ? upstream.datacenter : given(upstream.datacenter),
    LocalBindAddress: given(upstream.localAddress),
    LocalBindPort: upstream.localPort,
    Config: settingsOf(upstream) ?? (shown ? null : undefined),
  }
}

function settingsOf({ config }: Pick<ProxyFacts, 'config'>): z.infer<typeof settings> | undefined {
  return config === '' ? undefined : (settingsJson(config) as z.infer<typeof settings>)
}

export function connectJson(mesh: MeshFacts | undefined): z.infer<typeof connectShape> {
  return mesh?.native === true ? { Native: true } : {}
}

function given(text: string): string | undefined {
  return text === '' ? undefined : text
}
