import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { denied, refusedOrAbsent } from './access.ts'
import type { WithRights, WithSelf } from './agent-context.ts'
import type { CallOptions } from './call.ts'
import { failed, type Handle } from './route.ts'
import type { WithEnv } from './surroundings.ts'

/**
 * Rights that an agent requires for calls that it answers itself. For servers' answers the rights are checked where
 * they are served.
 */

/** The agent as far as a question about itself needs it. */
type AskedAgent = WithEnv & WithRights & WithSelf

/** A handler for callers that have this right on the asked agent. */
export function asking<Agent, Name extends string = never>(
  ask: (agent: Agent & AskedAgent) => Ask,
  handle: Handle<Name, Agent & AskedAgent>,
): Handle<Name, Agent & AskedAgent> {
  return async (agent, request) => {
    const allowed = await allowedHere(agent, request, () => [ask(agent)])
    return allowed.ok ? handle(agent, request) : failed(allowed.error)
  }
}

/** Rights for the agent itself: its state, and operations on it. */
export function ofThisAgent(right: 'read' | 'write'): (agent: WithSelf) => Ask {
  return (agent) => ({ resource: 'agent', name: agent.self().nodeName, right })
}

/** The rights of a call's token on this agent, if they include all of these; otherwise the failure to answer with. */
export async function allowedHere(
  agent: WithEnv & WithRights,
  { call }: { readonly call: CallOptions },
  asks: (authorizer: Authorizer) => readonly Ask[],
): Promise<Result<Authorizer, Failure>> {
  const resolved = await agent.authorizer(call)
  if (!resolved.ok || resolved.value.unrestricted) return resolved
  const authorizer = resolved.value
  const refused = asks(authorizer).find(({ resource, name, right }) => !authorizer.allows(resource, name, right))
  return refused === undefined ? ok(authorizer) : err(denied(agent.env, authorizer, refused, 'this agent'))
}

/**
 * As `allowedHere`, for changing a thing of this agent: a caller that may not even read it gets the answer as if it did
 * not exist.
 */
export async function allowedOrAbsent(
  agent: WithEnv & WithRights,
  { call }: { readonly call: CallOptions },
  ask: Ask,
  notThere: Failure,
): Promise<Result<Authorizer, Failure>> {
  const resolved = await agent.authorizer(call)
  if (!resolved.ok || resolved.value.unrestricted) return resolved
  const refusal = refusedOrAbsent(resolved.value, ask, notThere)
  return refusal === undefined ? resolved : err(denied(agent.env, resolved.value, refusal, 'this agent'))
}
