import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type { ProfileFailure, ProfileKind, Profiler } from '../../env/profiler.ts'
import type { Failure } from '../../model/failure.ts'
import { allowedHere } from '../contract/asking.ts'
import { badRequest, declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithAccess, WithRights, WithSelf } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { emptyAnswer, parameter, textAnswer } from '../http/declared.ts'

/** The part of the route context that these routes use. */
type ProfileContext = WithEnv & WithRights & WithSelf & WithAccess

const secondsMax = 60

const seconds = parameter('seconds', z.string(), `For how long the process is watched, up to ${secondsMax}.`)
const access = { asks: 'operator:read; nothing where access control is off and `enable_debug` is set' }
const refusals = [
  textAnswer(401, 'Access control is off, and `enable_debug` is not set.'),
  emptyAnswer(403, 'The token may not read the operator.'),
]

/**
 * Profiles of the agent's process, as the field's tools read them. Reference: agent.md#debug-endpoints.
 */
export const profileRoutes: readonly Route<ProfileContext>[] = [
  profileRoute('profile', 'cpu', 30, 'Where the process spends CPU time'),
  profileRoute('heap', 'heap', 1, 'Memory in use, by where it was allocated'),
  profileRoute('allocs', 'allocations', 1, 'Memory that is allocated meanwhile, by where'),
  profileRoute('goroutine', 'pending', 0, 'Pending asynchronous work, by kind'),
  profileRoute('trace', 'trace', 1, 'What the platform does, as trace events in JSON'),
  {
    path: '/debug/pprof/cmdline',
    operations: {
      GET: declared({
        summary: 'The command line of the agent, without values that may be secrets',
        access,
        answers: [textAnswer(200, 'A NUL between any two words.'), ...refusals],
        handle: async (context, request) => {
          const profiler = await profilerFor(context, request)
          if (!profiler.ok) return profiler.error
          return { kind: 'text', status: 200, text: profiler.value.commandLine() }
        },
      }),
    },
  },
]

function profileRoute(name: string, kind: ProfileKind, usualSeconds: number, summary: string): Route<ProfileContext> {
  return {
    path: `/debug/pprof/${name}`,
    operations: {
      GET: declared({
        summary,
        access,
        query: [seconds],
        answers: [
          {
            status: 200,
            about: kind === 'trace' ? 'Trace events.' : 'A profile in the format of pprof, compressed.',
            content: { 'application/octet-stream': z.unknown() },
          },
          textAnswer(429, 'Another profile is being taken, or many were of late.'),
          ...refusals,
        ],
        handle: async (context, request: RouteRequest<'seconds'>) => {
          const durationS = Number(request.query.get('seconds') ?? usualSeconds)
          const profiler = await profilerFor(context, request)
          if (!profiler.ok) return profiler.error
          if (!(durationS >= 0 && durationS <= secondsMax))
            return badRequest(`seconds must be a number from 0 to ${secondsMax}`)
          const gone = context.env.deferred<void>()
          request.call.onAbort?.(() => gone.resolve())
          const taken = await profiler.value.take(kind, durationS * 1_000, gone.promise)
          if (!taken.ok) return failed(failureOf(taken.error))
          return { kind: 'bytes', bytes: taken.value, contentType: 'application/octet-stream' }
        },
      }),
    },
  }
}

function failureOf({ kind, message }: ProfileFailure): Failure {
  return { kind: kind === 'busy' ? 'overloaded' : 'refused', message }
}

/** For callers that may see what the process does. A refusal by access control has no text, as in the field. */
async function profilerFor(
  context: ProfileContext,
  request: Pick<RouteRequest, 'call'>,
): Promise<Result<Profiler, RouteResponse>> {
  if (context.accessControl === undefined && !context.self().isDebugged)
    return err(failed({ kind: 'access-control-off' }))
  const allowed = await allowedHere(context, request, () => [{ resource: 'operator', name: '', right: 'read' }])
  if (!allowed.ok) {
    const isRefusal = allowed.error.kind === 'permission-denied' || allowed.error.kind === 'token-not-found'
    return err(isRefusal ? { kind: 'empty', status: 403 } : failed(allowed.error))
  }
  const { profiler } = context.env
  if (profiler !== undefined) return ok(profiler)
  const message = 'A simulated agent has no process of its own, and so no profiles'
  return err(failed({ kind: 'refused', message }))
}
