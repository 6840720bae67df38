import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { hasBehaviour } from '../../model/release.ts'
import { type AgentAccess, legacyModeFailure } from '../contract/access-control.ts'
import type { AgentContext } from '../contract/agent-context.ts'
import type { CallOptions } from '../contract/call.ts'
import type { DeclaredAnswer } from '../contract/operation.ts'
import type { ReadMeta, ReadOptions } from '../contract/reading.ts'
import { failed } from '../contract/responses.ts'
import type { Handle, RouteRequest, RouteResponse } from '../contract/route.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/server-context.ts'
import { emptyAnswer, textAnswer } from '../http/declared-answers.ts'
import { callIn, parseReadOptions, type ReadName } from '../http/read-options.ts'
import type { InMode } from './asked.ts'
import { standingEndpoint } from './system/system-endpoints.ts'

/**
 * What every path of access control looks at first, in the order of the field: whether it is on, whether the URL and the body
 * have the right shape, the mode, and only then who asks. Reference: access-control.md#order-of-checks.
 */

export type AclRequest = RouteRequest<ReadName>

/** What the agent knows of access control, and how the caller wants to read. */
export interface Entered {
  readonly access: AgentAccess
  readonly read: ReadOptions
}

export type Entry = Result<Entered, RouteResponse>

/** Whether access control is on, and the shape of the parameters that all paths have. */
export function entered(agent: AgentContext, request: AclRequest): Entry {
  const access = agent.accessControl
  const read = parseReadOptions(agent, request.query)
  if (access === undefined) return err(failed({ kind: 'access-control-off' }))
  return read.ok ? ok({ access, read: read.value }) : err(failed(read.error))
}

const offAnswer = textAnswer(401, 'Access control is off.')
const unknownRelease = emptyAnswer(404, 'The agent is of a release that has legacy tokens alone.')

/** What any path of access control may answer besides its own. */
export function aclAnswers(...own: readonly DeclaredAnswer[]): readonly DeclaredAnswer[] {
  return [...own, offAnswer]
}

export function newAclAnswers(...own: readonly DeclaredAnswer[]): readonly DeclaredAnswer[] {
  return [...own, offAnswer, unknownRelease]
}

/** A line of the field's for what is wrong with the URL or the body. */
export function badShape(message: string): RouteResponse {
  return failed({ kind: 'bad-request', message: `Bad request: ${message}` })
}

/** There is nothing at the paths of the new kind on an agent of a release before they came. */
export function whereKnown<Name extends string>(handle: Handle<Name>): Handle<Name> {
  return async (agent, request) =>
    hasBehaviour(agent.release, 'tokens-and-policies') ? handle(agent, request) : { kind: 'empty', status: 404 }
}

/**
 * Of a read that failed before a server had looked. The field's headers say so: no leader is known to the answer.
 */
const unanswered: ReadMeta = { index: 1, knownLeader: false, lastContactMs: 0 }

export function failedRead(failure: Failure, meta: ReadMeta = unanswered): RouteResponse {
  return { kind: 'failure', failure, meta }
}

export type Found<T> = { readonly found: T; readonly meta: ReadMeta } | { readonly response: RouteResponse }

/** What there is in the new mode; else who keeps the datacenter out of it. */
export async function readNew<Args, T>(
  agent: AgentContext,
  request: AclRequest,
  { access, read }: Entered,
  endpoint: QueryEndpoint<Args, InMode<T>>,
  args: Args,
): Promise<Found<T>> {
  const here = read.datacenter === '' ? access.refusesNew() : undefined
  if (here !== undefined) return { response: failed(here) }
  const answer = await agent.query(endpoint, args, read, request.call)
  if (!answer.ok) return { response: failedRead(answer.error) }
  const { value, meta } = answer.value
  if (value.mode === 'new') return { found: value.found, meta }
  return { response: failed(await whyLegacy(agent, read, request.call)) }
}

/** In the words of a server there, which knows who is missing. */
async function whyLegacy(agent: AgentContext, read: ReadOptions, call: CallOptions): Promise<Failure> {
  const standing = await agent.ask(standingEndpoint, {}, { ...read, minIndex: 0, waitMs: 0 }, call)
  return legacyModeFailure(standing.ok ? standing.value.missing : [])
}

/** Writes in the datacenter that the caller names, or the primary one where what is written holds everywhere. */
export async function writeNew<Args, Reply>(
  agent: AgentContext,
  request: AclRequest,
  { access, read }: Entered,
  where: 'primary' | 'asked',
  [endpoint, args]: readonly [endpoint: WriteEndpoint<Args, Reply>, args: Args],
): Promise<Result<Reply, Failure>> {
  const here = access.refusesNew()
  if (here !== undefined) return err(here)
  const call = where === 'primary' ? primaryCall(agent, access, request) : callIn(request, read)
  return agent.write(endpoint, args, call)
}

/** A call to the datacenter that owns policies and global tokens. */
export function primaryCall(
  agent: AgentContext,
  { primaryDatacenter }: AgentAccess,
  { call }: Pick<AclRequest, 'call'>,
): CallOptions {
  return primaryDatacenter === agent.self().datacenter ? call : { ...call, datacenter: primaryDatacenter }
}
