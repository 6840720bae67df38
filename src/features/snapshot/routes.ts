import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { callIn, parseReadOptions } from '../read-options.ts'
import { failed } from '../responses.ts'
import { archiveBytesMax } from './model.ts'
import { restoreState, saveState } from './transfer.ts'

/** Reference: HTTP API 13. */
export const snapshotRoutes: readonly Route[] = [
  {
    methods: ['GET', 'PUT'],
    path: '/v1/snapshot',
    bodyBytesMax: archiveBytesMax,
    handle: (agent, request) => (request.method === 'GET' ? save(agent, request) : restore(agent, request)),
  },
]

async function save(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const saved = await saveState(agent, { ...options.value, minIndex: 0, waitMs: 0 }, request.call)
  if (!saved.ok) return failed(saved.error)
  const { archive, meta } = saved.value
  return { kind: 'bytes', bytes: archive, meta, contentType: 'application/x-gzip' }
}

async function restore(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const restored = await restoreState(agent, request.body, callIn(request, options.value))
  return restored.ok ? { kind: 'empty', status: 200 } : failed(restored.error)
}
