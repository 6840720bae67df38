import type { Instance, NodeOverview } from '../api/catalog-shapes.ts'

/** The services that connect to one through the mesh, and those that it connects to, each once and sorted. */
export interface Topology {
  readonly from: readonly string[]
  readonly to: readonly string[]
}

type AnyService = Instance['Service']

/** `proxies`: of the service itself. `others`: nodes on which a proxy has it as an upstream. */
export function topologyOf(name: string, proxies: readonly Instance[], others: readonly NodeOverview[]): Topology {
  const to = proxies.flatMap(({ Service }) => upstreamsOf(Service).map((each) => each.DestinationName))
  const from = others
    .flatMap(({ Services }) => Services ?? [])
    .filter((service) => upstreamsOf(service).some((each) => each.DestinationName === name))
    .map(ownerOf)
  return { from: sortedOnce(from), to: sortedOnce(to) }
}

export function upstreamsOf({ Proxy: proxy }: AnyService) {
  return proxy?.Upstreams ?? []
}

/** The service that a proxy stands for; a service without a proxy of its own stands for itself. */
function ownerOf(service: AnyService): string {
  const destination = service.Proxy?.DestinationServiceName ?? ''
  return destination === '' ? service.Service : destination
}

function sortedOnce(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1))
}
