import { z } from 'zod'
import type { Ask } from '../../access/authorizer.ts'
import type { LogLevel } from '../../env/observe.ts'
import type { RunningMachine } from '../../env/process.ts'
import { asking, ofThisAgent } from '../contract/asking.ts'
import { badRequest, declared, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithRights, WithSelf, WithTelemetry } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { jsonAnswer, listOf, parameter, textAnswer, textList, uint64Value } from '../http/declared.ts'
import { metricsJson, metricsShape } from './metrics-json.ts'

/** The part of the route context that these routes use. */
type ObservationContext = WithEnv & WithRights & WithTelemetry & WithSelf

const diskShape = z
  .strictObject({
    path: z.string(),
    total: z.number(),
    free: z.number(),
    used: z.number(),
    usedPercent: z.number(),
    inodesTotal: z.number(),
    inodesFree: z.number(),
    inodesUsed: z.number(),
    inodesUsedPercent: z.number(),
  })
  .partial()

const hostShape = z.strictObject({
  Memory: z.strictObject({
    total: z.number(),
    available: z.number(),
    used: z.number(),
    usedPercent: z.number(),
    free: z.number(),
  }),
  CPU: listOf(z.strictObject({ cpu: z.number(), cores: z.number(), modelName: z.string(), mhz: z.number() })),
  Host: z.strictObject({
    hostname: z.string(),
    uptime: z.number(),
    bootTime: z.number(),
    os: z.string(),
    kernelVersion: z.string(),
  }),
  Disk: diskShape,
  CollectionTime: uint64Value,
  Errors: textList.nullable(),
})

/**
 * Facts and load of the machine, under the names of the field's library (gopsutil). What the platform does not report
 * is left out. Reference: agent.md#get-v1-agent-host.
 */
function hostJson(machine: RunningMachine, wallMs: number): z.infer<typeof hostShape> {
  const condition = machine.condition()
  const { memory, processors, disk } = condition
  const used = memory.total - memory.available
  return {
    Memory: {
      total: memory.total,
      available: memory.available,
      used,
      usedPercent: percent(used, memory.total),
      free: memory.free,
    },
    CPU: processors.map(({ model, megahertz }, cpu) => ({ cpu, cores: 1, modelName: model, mhz: megahertz })),
    Host: {
      hostname: machine.hostName,
      uptime: condition.uptimeS,
      bootTime: condition.bootTimeS,
      os: machine.operatingSystem,
      kernelVersion: condition.kernelVersion,
    },
    Disk:
      disk === undefined
        ? {}
        : {
            path: '/',
            total: disk.total,
            free: disk.free,
            used: disk.total - disk.free,
            usedPercent: percent(disk.total - disk.free, disk.total),
            inodesTotal: disk.inodesTotal,
            inodesFree: disk.inodesFree,
            inodesUsed: disk.inodesTotal - disk.inodesFree,
            inodesUsedPercent: percent(disk.inodesTotal - disk.inodesFree, disk.inodesTotal),
          },
    CollectionTime: BigInt(Math.trunc(wallMs)) * 1_000_000n,
    Errors: disk === undefined ? ['the file system at / cannot be examined'] : null,
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (part * 100) / whole
}

const operatorReads = (): Ask => ({ resource: 'operator', name: '', right: 'read' })

/**
 * For diagnosis: metrics, the machine, the live log. Reference: agent.md#get-v1-agent-host,
 * agent.md#get-v1-agent-monitor, agent.md#agent-metrics.
 */
export const observationRoutes: readonly Route<ObservationContext>[] = [
  {
    path: '/v1/agent/metrics',
    since: 'metrics-over-http',
    operations: {
      GET: declared({
        summary: 'Metrics of this agent',
        access: { asks: 'agent:read' },
        query: [parameter('format', z.string(), '`prometheus` for its text format; JSON otherwise.')],
        answers: [
          {
            status: 200,
            about: 'Metrics of the last whole interval; for Prometheus all that are kept.',
            content: { 'application/json': metricsShape, 'text/plain; version=0.0.4; charset=utf-8': z.string() },
          },
          textAnswer(415, 'This agent keeps no metrics for Prometheus.'),
        ],
        handle: asking(ofThisAgent('read'), async (context, request: RouteRequest<'format'>) =>
          metrics(context, request),
        ),
      }),
    },
  },
  {
    path: '/v1/agent/host',
    operations: {
      GET: declared({
        summary: 'The machine that this agent runs on',
        access: { asks: 'operator:read' },
        answers: [jsonAnswer('What the platform reports about it.', hostShape)],
        handle: asking(operatorReads, async ({ env }) => ({
          kind: 'json',
          value: hostJson(env.machine, env.clock.wallMs()),
        })),
      }),
    },
  },
  {
    path: '/v1/agent/monitor',
    since: 'control-over-http',
    operations: {
      GET: declared({
        summary: 'The log of this agent as it comes',
        access: { asks: 'agent:read' },
        query: [parameter('loglevel', z.string(), '`TRACE`, `DEBUG`, `INFO` (the default), `WARN` or `ERR`.')],
        answers: [
          { status: 200, about: 'Log lines, until the caller closes the connection.', content: { '*/*': z.unknown() } },
        ],
        handle: asking(ofThisAgent('read'), async (context, request: RouteRequest<'loglevel'>) =>
          monitor(context, request),
        ),
      }),
    },
  },
]

/** Reference: telemetry.md#metrics-4. */
function metrics({ env, telemetry }: WithEnv & WithTelemetry, request: RouteRequest<'format'>): RouteResponse {
  if (request.query.get('format') !== 'prometheus') {
    const value = metricsJson(env.metrics.snapshot(), env.clock.wallMs(), telemetry.prefix)
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

/** Bounded by the number of connections. Each enables the log lines of its level. */
function monitor({ env }: WithEnv, request: RouteRequest<'loglevel'>): RouteResponse {
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
