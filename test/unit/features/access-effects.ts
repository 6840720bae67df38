import { agentEffects } from './effects/agent-effects.ts'
import { clusterEffects } from './effects/cluster-effects.ts'
import type { Effect } from './effects/effect.ts'
import { stateEffects } from './effects/state-effects.ts'

/** Of each operation that asks something; of some several. By the operation as the document of the API names it. */
export const effects: Readonly<Record<string, readonly Effect[]>> = {
  ...stateEffects,
  ...clusterEffects,
  ...agentEffects,
}

/** Operations that require no rights, each with the arguments to call it. A new one needs a reason in its route. */
export const openOperations: Readonly<Record<string, string>> = {
  'GET /v1/status/leader': 'GET /v1/status/leader',
  'GET /v1/status/peers': 'GET /v1/status/peers',
  'GET /v1/catalog/datacenters': 'GET /v1/catalog/datacenters',
  'GET /v1/coordinate/datacenters': 'GET /v1/coordinate/datacenters',
  'GET /v1/operator/area/{area}/members': 'GET /v1/operator/area/x/members',
  'PUT /v1/operator/area/{area}/join': 'PUT /v1/operator/area/x/join',
  'GET /v1/connect/ca/roots': 'GET /v1/connect/ca/roots',
  'GET /v1/agent/connect/ca/roots': 'GET /v1/agent/connect/ca/roots',
  'GET /v1/agent/live': 'GET /v1/agent/live',
  'GET /v1/agent/ready': 'GET /v1/agent/ready',
}
