import { textOfByteString } from '../../base/bytes.ts'
import { err, ok } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { AgentContext } from '../contract/agent-context.ts'
import { allowedOrAbsent } from '../contract/asking.ts'
import { nameKey } from '../contract/names.ts'
import type { RouteResponse } from '../contract/route.ts'
import { type HashRequest, whenAnother } from './hash-blocking.ts'
import { hashedServiceJson, serviceJson } from './model.ts'

/**
 * One service of the agent, by its ID without case, as it was registered. Reference: agent.md#get-v1-agent-service-id,
 * agent.md#hash-based-blocking.
 */
export async function readOneService(agent: AgentContext, request: HashRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  const find = () => agent.local.services().find((candidate) => nameKey(candidate.id) === nameKey(id))
  const notThere: Failure = { kind: 'not-found', message: `unknown proxy service ID: ${id}` }
  return whenAnother(agent, request, async () => {
    for (;;) {
      const name = find()?.service
      if (name === undefined) return err(notThere)
      const allowed = await allowedOrAbsent(agent, request, { resource: 'service', name, right: 'read' }, notThere)
      if (!allowed.ok) return allowed
      // Read after the last wait: a value read before it could change unnoticed.
      const service = find()
      if (service?.service !== name) continue
      return ok({
        hashed: serviceJson(service),
        shown: (contentHash: string) => hashedServiceJson(service, contentHash),
      })
    }
  })
}
