import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { denied, refusedOrAbsent } from './access.ts'
import type { CallOptions } from './call.ts'
import { failed, type Handle } from './route.ts'
import type { WithRights, WithSelf } from './route-context.ts'
import type { WithEnv } from './surroundings.ts'

/**
 * Rights that an agent requires for calls that it answers itself. For servers' answers the rights are checked where
 * they are served.
 */

/** What a question about the agent itself uses of the context of a route. */
type AskedContext = WithEnv & WithRights & WithSelf

/** A handler for callers that have this right on the asked agent. */
export function asking<Context, Name extends string = never>(
  ask: (context: Context & AskedContext) => Ask,
  handle: Handle<Name, Context & AskedContext>,
): Handle<Name, Context & AskedContext> {
  return async (context, request) => {
    const allowed = await allowedHere(context, request, () => [ask(context)])
    return allowed.ok ? handle(context, request) : failed(allowed.error)
  }
}

/** Rights for the agent itself: its state, and operations on it. */
export function ofThisAgent(right: 'read' | 'write'): (context: WithSelf) => Ask {
  return (context) => ({ resource: 'agent', name: context.self().nodeName, right })
}

/** The rights of a call's token on this agent, if they include all of these; otherwise the failure to answer with. */
export async function allowedHere(
  context: WithEnv & WithRights,
  { call }: { readonly call: CallOptions },
  asks: (authorizer: Authorizer) => readonly Ask[],
): Promise<Result<Authorizer, Failure>> {
  const resolved = await context.authorizer(call)
  if (!resolved.ok || resolved.value.unrestricted) return resolved
  const authorizer = resolved.value
  const refused = asks(authorizer).find(({ resource, name, right }) => !authorizer.allows(resource, name, right))
  return refused === undefined ? ok(authorizer) : err(denied(context.env, authorizer, refused, 'this agent'))
}

/**
 * As `allowedHere`, for changing a thing of this agent: a caller that may not even read it gets the answer as if it did
 * not exist.
 */
export async function allowedOrAbsent(
  context: WithEnv & WithRights,
  { call }: { readonly call: CallOptions },
  ask: Ask,
  notThere: Failure,
): Promise<Result<Authorizer, Failure>> {
  const resolved = await context.authorizer(call)
  if (!resolved.ok || resolved.value.unrestricted) return resolved
  const refusal = refusedOrAbsent(resolved.value, ask, notThere)
  return refusal === undefined ? resolved : err(denied(context.env, resolved.value, refusal, 'this agent'))
}
