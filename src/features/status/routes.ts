import { z } from 'zod'
import type { ServerEndpoint } from '../contract/endpoint.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithSelf, WithServerCalls } from '../contract/route-context.ts'
import { jsonAnswer, readParameters, textList } from '../http/declared.ts'
import { parseReadOptions, type ReadName } from '../http/read-options.ts'
import { leaderEndpoint, peersEndpoint } from './endpoint.ts'

const forProbes = 'a program that checks whether there is a leader may have no token'

/** Answers have no index, because they do not show replicated state. Reference: operator.md#status. */
export const statusRoutes: readonly Route<WithServerCalls & WithSelf>[] = [
  {
    path: '/v1/status/leader',
    operations: {
      GET: declared({
        summary: 'The address of the leader',
        access: { open: forProbes },
        query: readParameters,
        answers: [jsonAnswer('`host:port`; empty where none is known.', z.string())],
        handle: (context, request) => answer(context, request, leaderEndpoint),
      }),
    },
  },
  {
    path: '/v1/status/peers',
    operations: {
      GET: declared({
        summary: 'The addresses of the servers',
        access: { open: forProbes },
        query: readParameters,
        answers: [jsonAnswer('`host:port` of each.', textList)],
        handle: (context, request) => answer(context, request, peersEndpoint),
      }),
    },
  },
]

async function answer(
  context: WithServerCalls & WithSelf,
  request: RouteRequest<ReadName>,
  endpoint: ServerEndpoint<object, string | readonly string[]>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answered = await context.ask(endpoint, {}, options.value, request.call)
  return answered.ok ? { kind: 'json', value: answered.value } : failed(answered.error)
}
