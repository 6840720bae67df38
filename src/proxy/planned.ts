import { z } from 'zod'
import { jsonOrUndefined } from '../base/json.ts'
import { err, ok, type Result } from '../base/result.ts'
import { proxyKind, queryUpstream, serviceUpstream } from '../model/mesh-service.ts'
import { isSameName } from './identity.ts'
import { localConnectTimeoutMs, type ProxyPlan, type UpstreamPlan, upstreamConnectTimeoutMs } from './plan.ts'

const port = z.number().int().min(0).max(65_535)
const upstreamsMax = 1_024

const settings = z.object({
  bind_address: z.string().min(1).optional(),
  bind_port: port.optional(),
  local_service_address: z.string().optional(),
  local_connect_timeout_ms: z.number().int().min(1).optional(),
})

const upstream = z.object({
  DestinationType: z.string().optional(),
  DestinationName: z.string().min(1),
  Datacenter: z.string().optional(),
  LocalBindAddress: z.string().optional(),
  LocalBindPort: port,
  Config: z.object({ connect_timeout_ms: z.number().int().min(1).optional() }).nullish(),
})

const service = z.object({
  Kind: z.string().optional(),
  ID: z.string(),
  Port: port,
  Proxy: z
    .object({
      DestinationServiceName: z.string().min(1),
      DestinationServiceID: z.string().optional(),
      LocalServiceAddress: z.string().optional(),
      LocalServicePort: port.optional(),
      Config: settings.optional(),
      Upstreams: z.array(upstream).max(upstreamsMax).nullish(),
    })
    .optional(),
})

/** The plan of a proxy that is registered with an agent, from the agent's answer. The error is a clause. */
export function planOf(body: Uint8Array): Result<ProxyPlan, string> {
  const read = service.safeParse(jsonOrUndefined(body))
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? ''
    return err(`the registration cannot be used: ${where === '' ? 'it is no service' : where}`)
  }
  const { Kind, ID, Port, Proxy: proxy } = read.data
  if (Kind !== proxyKind || proxy === undefined) return err(`the service ${ID} is not a proxy (Kind ${proxyKind})`)
  const { Config = {}, Upstreams } = proxy
  const upstreams: UpstreamPlan[] = []
  for (const each of Upstreams ?? []) {
    const { DestinationType: type = serviceUpstream, DestinationName: name } = each
    if (type !== serviceUpstream && type !== queryUpstream) return err(`the upstream ${name} is of an unknown kind`)
    upstreams.push({
      type: type === queryUpstream ? 'prepared_query' : 'service',
      name,
      datacenter: each.Datacenter ?? '',
      listen: { host: each.LocalBindAddress || '127.0.0.1', port: each.LocalBindPort },
      connectTimeoutMs: each.Config?.connect_timeout_ms ?? upstreamConnectTimeoutMs,
    })
  }
  const localPort = proxy.LocalServicePort ?? 0
  const inbound = {
    listen: { host: Config.bind_address ?? '0.0.0.0', port: Config.bind_port ?? Port },
    local: { host: proxy.LocalServiceAddress || '127.0.0.1', port: localPort },
    connectTimeoutMs: Config.local_connect_timeout_ms ?? localConnectTimeoutMs,
  }
  return ok({ service: proxy.DestinationServiceName, inbound: localPort === 0 ? undefined : inbound, upstreams })
}

const services = z.record(z.string(), z.unknown())
/** Settings are not read: those of another proxy may be for another program. */
const sidecar = z.object({
  Kind: z.literal(proxyKind),
  ID: z.string(),
  Proxy: z.object({ DestinationServiceID: z.string() }),
})

/**
 * The one proxy that is registered for an instance of a service, by its ID regardless of case. The error is the line to
 * print.
 */
export function sidecarOf(body: Uint8Array, serviceId: string): Result<string, string> {
  const read = services.safeParse(jsonOrUndefined(body))
  if (!read.success) return err('the answer of the agent about its services cannot be read')
  const ids = Object.values(read.data).flatMap((each) => {
    const { data } = sidecar.safeParse(each)
    return data !== undefined && isSameName(data.Proxy.DestinationServiceID, serviceId) ? [data.ID] : []
  })
  const [id] = ids
  if (id === undefined) return err(`No sidecar proxy registered for ${serviceId}`)
  if (ids.length === 1) return ok(id)
  const list = ids.join(', ')
  return err(
    `More than one sidecar proxy registered for ${serviceId}. Start proxy with -proxy-id and one of the following IDs: ${list}`,
  )
}
