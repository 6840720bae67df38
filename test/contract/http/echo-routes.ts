import { base64, bytesOf } from '../../../src/base/bytes.ts'
import { invariant } from '../../../src/base/invariant.ts'
import type { Route, RouteResponse } from '../../../src/features/contract/route.ts'
import type { FaceContext } from '../../../src/http/route-call.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { planned } from '../../unit/http/planned.ts'

const meta = { index: modifyIndexOf(12), knownLeader: true, lastContactMs: 3 }

/** Routes that say what they were asked, and one for each kind of answer. */
export const echoRoutes: readonly Route<FaceContext>[] = [
  {
    path: '/v1/echo/',
    rest: { name: 'rest', about: '' },
    operations: planned(['GET', 'PUT', 'POST', 'DELETE'], async (_agent, { method, rest, query, headers, body }) => ({
      kind: 'json',
      meta,
      consistency: 'stale',
      value: {
        method,
        rest,
        query: query.encoded(),
        token: headers().get('x-svc-token'),
        other: headers().get('x-other'),
        body: base64(body),
      },
    })),
  },
  {
    path: '/v1/answer/',
    rest: { name: 'rest', about: '' },
    operations: planned(
      ['GET'],
      async (_agent, { rest }) => answers[rest] ?? { kind: 'bytes', bytes: bytesOf(rest), meta },
    ),
  },
  {
    path: '/v1/throw',
    operations: planned(['GET'], async () => invariant(false, 'planned') as never),
  },
]

const answers: Readonly<Record<string, RouteResponse>> = {
  empty: { kind: 'empty', status: 404, meta },
  nothing: { kind: 'empty', status: 200 },
  text: { kind: 'text', status: 409, text: 'a line, naïve & plain', meta },
  conflict: { kind: 'json', status: 409, value: { Index: 18446744073709551615n, Text: '</script>' } },
  'no-leader': { kind: 'failure', failure: { kind: 'no-leader' } },
  overloaded: { kind: 'failure', failure: { kind: 'overloaded', message: 'Too many requests' } },
}
