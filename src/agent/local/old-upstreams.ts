import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { settingsText } from '../../features/mesh/settings-text.ts'
import { type ProxyUpstream, serviceUpstream } from '../../model/mesh-service.ts'

const upstreamsMax = 1_024

const upstream = z.object({
  destination_type: z.string().default(''),
  destination_namespace: z.string().default(''),
  destination_name: z.string().min(1),
  destination_datacenter: z.string().default(''),
  datacenter: z.string().default(''),
  local_bind_address: z.string().default(''),
  local_bind_port: z.number().int().min(1).max(65_535),
  connect_timeout_ms: z.number().int().min(1).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Upstreams in the form of releases before 1.3.0, which had them among the settings of a managed proxy. Empty if the
 * settings have none. The error is a clause.
 */
export function oldUpstreams(settings: Readonly<Record<string, Json>>): Result<readonly ProxyUpstream[], string> {
  const given = settings['upstreams']
  if (given === undefined || given === null) return ok([])
  const read = z.array(upstream).max(upstreamsMax).safeParse(given)
  if (!read.success) {
    const where = (read.error.issues[0]?.path ?? []).join('.')
    return err(`Invalid managed proxy: upstreams of its config cannot be read${where === '' ? '' : ` at ${where}`}`)
  }
  return ok(read.data.map(upstreamOf))
}

function upstreamOf(given: z.infer<typeof upstream>): ProxyUpstream {
  const { connect_timeout_ms: timeout, config } = given
  const settings = timeout === undefined ? config : { connect_timeout_ms: timeout, ...config }
  return {
    type: given.destination_type || serviceUpstream,
    namespace: given.destination_namespace,
    name: given.destination_name,
    datacenter: given.destination_datacenter || given.datacenter,
    localAddress: given.local_bind_address,
    localPort: given.local_bind_port,
    config: settingsText(settings),
  }
}
