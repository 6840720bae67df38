import type { Json } from '../../base/json.ts'
import type { LogLevel } from '../../env/observe.ts'
import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { badRequest } from '../responses.ts'
import { hostJson } from './host-json.ts'
import { metricsJson } from './metrics-json.ts'

/** What people look at when something is wrong: metrics, the machine, the log as it comes. Reference: HTTP API 4.1, 4.7. */
export const observationRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/agent/metrics', handle: async (agent, request) => metrics(agent, request) },
  {
    methods: ['GET'],
    path: '/v1/agent/host',
    handle: async ({ env }) => ({ kind: 'json', value: hostJson(env.machine, env.clock.wallMs()) }),
  },
  { methods: ['GET'], path: '/v1/agent/monitor', handle: async (agent, request) => monitor(agent, request) },
]

/** Source: telemetry reference, TEL-4. */
function metrics({ env, telemetry }: AgentContext, request: RouteRequest): RouteResponse {
  if (request.query.get('format') !== 'prometheus') {
    const value: Json = metricsJson(env.metrics.snapshot(), env.clock.wallMs(), telemetry.prefix)
    return { kind: 'json', value }
  }
  const text = telemetry.exposition()
  if (text !== undefined) return { kind: 'text', status: 200, text, type: 'text/plain; version=0.0.4; charset=utf-8' }
  return {
    kind: 'text',
    status: 415,
    text: 'Prometheus is not enabled since its retention time is not positive',
  }
}

const levels: ReadonlyMap<string, LogLevel> = new Map([
  ['TRACE', 'trace'],
  ['DEBUG', 'debug'],
  ['INFO', 'info'],
  ['WARN', 'warn'],
  ['ERR', 'error'],
])

/** As many at a time as there are connections. Each makes lines of its level be written. */
function monitor({ env }: AgentContext, request: RouteRequest): RouteResponse {
  const named = (request.query.get('loglevel') || 'INFO').toUpperCase()
  const level = levels.get(named)
  if (level === undefined) return badRequest(`Unknown log level: ${named}`)
  return {
    kind: 'stream',
    stream: {
      open: (out) => {
        const followed = env.log.follow(level, (line) => out.write(`${line}\n`))
        for (const line of followed.recent) out.write(`${line}\n`)
        return followed
      },
    },
  }
}
