import { z } from 'zod'
import type { WatchDefinition, WatchHandler } from '../../agent/settings/watch-settings.ts'
import { parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { watchPlan } from '../../features/watch/model.ts'
import type { Report } from './values.ts'

/**
 * Maximum number of watches. A larger number is a mistake, because each one waits at the servers and runs a program of
 * its own.
 */
const watchesMax = 1_024

export const watchSchema = z.strictObject({
  args: z.array(z.string()).optional().describe('The program that is run at each change, and its arguments.'),
  datacenter: z.string().optional(),
  filter: z.string().optional().describe('Only entries for which this expression holds.'),
  handler: z.string().optional().describe('A command line that /bin/sh runs at each change.'),
  handler_type: z.enum(['script', 'http']).optional(),
  http_handler_config: z
    .strictObject({
      header: z.record(z.string(), z.array(z.string())).optional(),
      method: z.string().optional(),
      path: z.string().optional().describe('The URL that is called at each change.'),
      timeout: z.string().optional(),
      tls_skip_verify: z.boolean().optional(),
    })
    .optional(),
  key: z.string().optional(),
  name: z.string().optional(),
  passingonly: z.boolean().optional(),
  prefix: z.string().optional(),
  proxy_service_id: z.string().optional(),
  service: z.string().optional(),
  service_id: z.string().optional(),
  stale: z.boolean().optional(),
  state: z.string().optional(),
  tag: z.string().optional(),
  token: z.string().optional(),
  type: z.string().optional(),
})

type FileWatch = z.infer<typeof watchSchema>

/** The texts are the field's. Reference: configuration.md#key-watches. */
export function watchesOf(given: readonly FileWatch[] | undefined, problem: Report): readonly WatchDefinition[] {
  const watches = given ?? []
  if (watches.length > watchesMax) {
    problem(`watches: ${watches.length} are more than ${watchesMax}`, 'watch a prefix, or all services', 'watches')
    return []
  }
  return watches.flatMap((watch, at) => {
    const read = watchOf(watch)
    if (read.ok) return [read.value]
    problem(`watches[${at}]: ${read.error}`, 'see the types of svc watch -help', 'watches')
    return []
  })
}

function watchOf(file: FileWatch): Result<WatchDefinition, string> {
  const { type = '', key, prefix, service, tag, state, name, filter } = file
  const { service_id: serviceId, proxy_service_id: proxyServiceId, passingonly: passingOnly } = file
  const subject = { type, key, prefix, service, serviceId, proxyServiceId, tag, state, name, filter, passingOnly }
  const plan = watchPlan(subject)
  if (!plan.ok) return err(`Failed to parse watch: ${plan.error}`)
  const handler = handlerOf(file)
  if (!handler.ok) return handler
  const { datacenter, token, stale = false } = file
  return ok({ subject, datacenter, token, stale, handler: handler.value })
}

function handlerOf(file: FileWatch): Result<WatchHandler, string> {
  const { args = [], handler = '', http_handler_config: http } = file
  const [program, ...rest] = args
  if (file.handler_type === 'http') return httpHandlerOf(http)
  if (http !== undefined) return err("http_handler_config needs handler_type 'http'")
  if (program !== undefined && handler !== '') return err('Only one watch handler allowed')
  if (program !== undefined) return ok({ kind: 'script', argv: [program, ...rest] })
  return handler === '' ? err('Must define a watch handler') : ok({ kind: 'script', argv: ['/bin/sh', '-c', handler] })
}

function httpHandlerOf(http: FileWatch['http_handler_config']): Result<WatchHandler, string> {
  const { path: url = '', method = 'POST', header = {}, timeout = '10s', tls_skip_verify = false } = http ?? {}
  if (!/^https?:\/\//.test(url)) return err("Requires 'path' to be set to a URL in http_handler_config")
  const timeoutMs = parseDuration(timeout)
  if (!timeoutMs.ok || timeoutMs.value <= 0)
    return err(`http_handler_config.timeout ${JSON.stringify(timeout)}: not a duration`)
  const headers = Object.entries(header).flatMap(([name, values]) => values.map((value) => [name, value] as const))
  return ok({ kind: 'http', url, method, headers, timeoutMs: timeoutMs.value, tlsSkipVerify: tls_skip_verify })
}
