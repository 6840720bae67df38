import type { RouteResponse } from '../contract/route.ts'
import type { WithTelemetry } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'

/** Calls of an HTTP operation that have metrics of their own. */
export type CountedCall =
  | 'catalog_connect_service_nodes'
  | 'catalog_datacenters'
  | 'catalog_deregister'
  | 'catalog_node_services'
  | 'catalog_nodes'
  | 'catalog_register'
  | 'catalog_service_nodes'
  | 'catalog_services'

/**
 * Counts the call, and its success or failure. What was wrong with the request itself is neither: no server was asked.
 *
 * Reference: telemetry.md#metric-client-api.
 */
export async function counted(
  { env: { metrics }, telemetry: { node } }: WithEnv & WithTelemetry,
  call: CountedCall,
  handled: Promise<RouteResponse>,
): Promise<RouteResponse> {
  metrics.count(`client.api.${call}`, 1, node)
  const response = await handled
  if (response.kind !== 'failure') metrics.count(`client.api.success.${call}`, 1, node)
  else if (response.failure.kind !== 'bad-request') metrics.count(`client.rpc.error.${call}`, 1, node)
  return response
}
