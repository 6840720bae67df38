import { textOfByteString } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { hasBehaviour } from '../../model/release.ts'
import { type AgentAccess, legacyModeFailure } from '../contract/access-control.ts'
import type { CallOptions } from '../contract/call.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import type { DeclaredAnswer } from '../contract/operation.ts'
import type { ReadMeta, ReadOptions } from '../contract/reading.ts'
import { failed, failedRead, type Handle, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithAccess, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../contract/route-context.ts'
import type { WithRelease } from '../contract/surroundings.ts'
import { emptyAnswer, textAnswer } from '../http/declared.ts'
import { flag, list, object, text } from '../http/json-body.ts'
import { callIn, parseReadOptions, type ReadName } from '../http/read-options.ts'
import type { InMode } from './asked.ts'
import { standingEndpoint } from './system/system-endpoints.ts'

/**
 * The checks that every path of access control makes first, in the field's order: whether access control is on, whether
 * the URL and the body have the right shape, the mode, and only then the caller's rights. Reference:
 * access-control.md#order-of-checks.
 */

export type AclRequest = RouteRequest<ReadName>

/** The agent's access control, and the caller's read options. */
export interface Entered {
  readonly access: AgentAccess
  readonly read: ReadOptions
}

/** A handler that runs once the first checks have passed. */
type EnteredHandle<Name extends string, Context> = (
  context: Context,
  request: RouteRequest<ReadName | Name>,
  entry: Entered,
) => Promise<RouteResponse>

/** Checks whether access control is on, and the parameters that all paths share, before `handle` runs. */
export function whereOn<Context, Name extends string = never>(
  handle: EnteredHandle<Name, Context & WithAccess & WithSelf>,
): Handle<ReadName | Name, Context & WithAccess & WithSelf> {
  // Not async itself: the answer of a handler would come three promise jobs later than it is made.
  return (context, request) => {
    const access = context.accessControl
    const read = parseReadOptions(context, request.query)
    if (access === undefined) return answered(failed({ kind: 'access-control-off' }))
    return read.ok ? handle(context, request, { access, read: read.value }) : answered(failed(read.error))
  }
}

async function answered(response: RouteResponse): Promise<RouteResponse> {
  return response
}

const offAnswer = textAnswer(401, 'Access control is off.')
const unknownRelease = emptyAnswer(404, 'The release of the agent has only legacy tokens.')

/** The answers that every path of access control may give besides its own. */
export function aclAnswers(...own: readonly DeclaredAnswer[]): readonly DeclaredAnswer[] {
  return [...own, offAnswer]
}

export function newAclAnswers(...own: readonly DeclaredAnswer[]): readonly DeclaredAnswer[] {
  return [...own, offAnswer, unknownRelease]
}

/** The field's message for a malformed URL or body. */
export function badShape(message: string): RouteResponse {
  return failed({ kind: 'bad-request', message: `Bad request: ${message}` })
}

/** The same on an agent of a release that has the new kind; on any other the path does not exist. */
export function whereKnown<Context, Name extends string = never>(
  handle: EnteredHandle<Name, Context & WithAccess & WithSelf & WithRelease>,
): Handle<ReadName | Name, Context & WithAccess & WithSelf & WithRelease> {
  const checked = whereOn(handle)
  return async (context, request) =>
    hasBehaviour(context.release, 'tokens-and-policies') ? checked(context, request) : { kind: 'empty', status: 404 }
}

export type Found<T> = { readonly found: T; readonly meta: ReadMeta } | { readonly response: RouteResponse }

/** Reads from the new mode, or says which servers keep the datacenter in the legacy mode. */
export async function readNew<Args, T>(
  context: WithQueries & WithServerCalls,
  request: AclRequest,
  { access, read }: Entered,
  endpoint: QueryEndpoint<Args, InMode<T>>,
  args: Args,
): Promise<Found<T>> {
  const here = read.datacenter === '' ? access.refusesNew() : undefined
  if (here !== undefined) return { response: failed(here) }
  const answer = await context.query(endpoint, args, read, request.call)
  if (!answer.ok) return { response: failedRead(answer.error) }
  const { value, meta } = answer.value
  if (value.mode === 'new') return { found: value.found, meta }
  return { response: failed(await whyLegacy(context, read, request.call)) }
}

/** The ID that the path ends with, or the answer if there is none. `of`: what it is the ID of. */
export function idInPath({ rest }: AclRequest, of: 'policy' | 'token'): Result<string, RouteResponse> {
  const id = textOfByteString(rest)
  return id === '' ? err(badShape(`Missing ${of} ID`)) : ok(id)
}

/**
 * The row that a lookup by ID found, or the answer if there is none. Reference: access-control.md#unknown-id,
 * access-control.md#malformed-accessor.
 */
export function oneFound<T>(
  lookup: { readonly malformed: string } | { readonly row: T | null },
  meta: ReadMeta,
): Found<T> {
  if ('malformed' in lookup) return { response: failedRead({ kind: 'refused', message: lookup.malformed }, meta) }
  return lookup.row === null ? { response: failedRead({ kind: 'token-not-found' }, meta) } : { found: lookup.row, meta }
}

/** In the words of a server there, which knows which servers are missing. */
async function whyLegacy(context: WithServerCalls, read: ReadOptions, call: CallOptions): Promise<Failure> {
  const standing = await context.ask(standingEndpoint, {}, { ...read, minIndex: noChange, waitMs: 0 }, call)
  return legacyModeFailure(standing.ok ? standing.value.missing : [])
}

/** Writes in the datacenter that the caller names, or in the primary one for what is valid everywhere. */
export async function writeNew<Args, Reply>(
  context: WithWrites & WithSelf,
  request: AclRequest,
  { access, read }: Entered,
  where: 'primary' | 'asked',
  [endpoint, args]: readonly [endpoint: WriteEndpoint<Args, Reply>, args: Args],
): Promise<Result<Reply, Failure>> {
  const here = access.refusesNew()
  if (here !== undefined) return err(here)
  const call = where === 'primary' ? primaryCall(context, access, request) : callIn(request, read)
  return context.write(endpoint, args, call)
}

/** A call to the datacenter that owns policies and global tokens. */
export function primaryCall(
  context: WithSelf,
  { primaryDatacenter }: AgentAccess,
  { call }: Pick<AclRequest, 'call'>,
): CallOptions {
  return primaryDatacenter === context.self().datacenter ? call : { ...call, datacenter: primaryDatacenter }
}

/** Bodies of requests. Members that the service sets itself (hashes, times, indexes) are accepted and ignored. */

const link = object({ ID: text, Name: text })

export const tokenBody = object({
  AccessorID: text,
  SecretID: text,
  Description: text,
  Policies: list(link),
  Local: flag,
  Rules: text,
  Type: text,
})

export const cloneBody = object({ Description: text })

export const policyBody = object({ ID: text, Name: text, Description: text, Rules: text, Datacenters: list(text) })

export const legacyBody = object({ ID: text, Name: text, Type: text, Rules: text })

export const agentTokenBody = object({ Token: text })
