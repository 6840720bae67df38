import { z } from 'zod'
import { ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { allowedHere } from '../contract/asking.ts'
import type { ReadOptions } from '../contract/reading.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithRights, WithSelf, WithServerCalls, WithWrites } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { done, indexHeaders, readParameters } from '../http/declared.ts'
import { callIn, parseReadOptions, type ReadName } from '../http/read-options.ts'
import { mayRestoreEndpoint } from './endpoint.ts'
import { archiveBytesMax } from './model.ts'
import { restoreState, saveState } from './transfer.ts'

/** The part of the route context that these routes use. */
type SnapshotContext = WithEnv & WithWrites & WithServerCalls & WithRights & WithSelf

/** Reference: operator.md#snapshot-endpoints. */
export const snapshotRoutes: readonly Route<SnapshotContext>[] = [
  {
    path: '/v1/snapshot',
    since: 'snapshots-over-http',
    bodyBytesMax: archiveBytesMax,
    operations: {
      GET: declared({
        summary: 'Save the whole state as of one index',
        access: { asks: 'acl:write' },
        query: readParameters,
        answers: [
          {
            status: 200,
            about: 'A gzipped tar of `meta.json`, `state.bin` and `SHA256SUMS`.',
            content: { 'application/x-gzip': z.unknown() },
            headers: indexHeaders,
          },
        ],
        handle: save,
      }),
      PUT: declared({
        summary: 'Replace the state with a saved one',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { about: `An archive of up to ${archiveBytesMax} bytes, as it was saved.`, required: true },
        answers: [done],
        handle: restore,
      }),
    },
  },
]

async function save(
  context: WithEnv & WithServerCalls & WithSelf,
  request: RouteRequest<ReadName>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const saved = await saveState(context, { ...options.value, minIndex: noChange, waitMs: 0 }, request.call)
  if (!saved.ok) return failed(saved.error)
  const { archive, meta } = saved.value
  return { kind: 'bytes', bytes: archive, meta, contentType: 'application/x-gzip' }
}

async function restore(context: SnapshotContext, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const allowed = await mayRestore(context, request, options.value)
  if (!allowed.ok) return failed(allowed.error)
  const restored = await restoreState(context, request.body, callIn(request, options.value))
  return restored.ok ? { kind: 'empty', status: 200 } : failed(restored.error)
}

/**
 * Servers check the right again at each step. Without this check a caller without the right could make the agent read an
 * archive, and would hear what is wrong with it; and an archive for an unknown datacenter would be judged first.
 */
async function mayRestore(
  context: SnapshotContext,
  request: RouteRequest<ReadName>,
  options: ReadOptions,
): Promise<Result<unknown, Failure>> {
  if (options.datacenter === '')
    return allowedHere(context, request, () => [{ resource: 'acl', name: '', right: 'write' }])
  const there = { ...options, minIndex: noChange, waitMs: 0 }
  const asked = await context.ask(mayRestoreEndpoint, {}, there, request.call)
  // A server of an earlier release says so when the restore begins.
  return asked.ok || asked.error.kind !== 'unknown-method' ? asked : ok(undefined)
}
