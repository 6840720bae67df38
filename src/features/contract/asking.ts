import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { denied, refusedOrAbsent } from './access.ts'
import type { AgentContext } from './agent-context.ts'
import type { CallOptions } from './call.ts'
import { failed, type Handle } from './route.ts'

/**
 * Rights that an agent requires for calls that it answers itself. For servers' answers the rights are checked where
 * they are served.
 */

/** A handler for callers that have this right on the asked agent. */
export function asking<Name extends string = never>(
  ask: (agent: AgentContext) => Ask,
  handle: Handle<Name>,
): Handle<Name> {
  return async (agent, request) => {
    const allowed = await allowedHere(agent, request, () => [ask(agent)])
    return allowed.ok ? handle(agent, request) : failed(allowed.error)
  }
}

/** Rights for the agent itself: its state, and operations on it. */
export function ofThisAgent(right: 'read' | 'write'): (agent: AgentContext) => Ask {
  return (agent) => ({ resource: 'agent', name: agent.self().nodeName, right })
}

/** The rights of a call's token on this agent, if they include all of these; otherwise the failure to answer with. */
export async function allowedHere(
  agent: Pick<AgentContext, 'authorizer' | 'env'>,
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
  agent: Pick<AgentContext, 'authorizer' | 'env'>,
  { call }: { readonly call: CallOptions },
  ask: Ask,
  notThere: Failure,
): Promise<Result<Authorizer, Failure>> {
  const resolved = await agent.authorizer(call)
  if (!resolved.ok || resolved.value.unrestricted) return resolved
  const refusal = refusedOrAbsent(resolved.value, ask, notThere)
  return refusal === undefined ? resolved : err(denied(agent.env, resolved.value, refusal, 'this agent'))
}
