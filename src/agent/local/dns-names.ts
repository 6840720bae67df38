import type { Log, LogLevel } from '../../env/observe.ts'
import type { ServiceFacts } from '../../model/catalog.ts'

/** Maximum length of a label of a DNS name. RFC 1035, section 2.3.4. */
const labelBytesMax = 63

/**
 * Warns about names of a service that DNS clients cannot look up everywhere; the service is registered nevertheless.
 * Reference: dns.md#names-that-cannot-be-looked-up.
 */
export function warnOfServiceNames(log: Log, { service, tags }: ServiceFacts): void {
  warn(log, 'warn', 'Service name', { service }, service)
  for (const tag of tags) warn(log, 'debug', 'Service tag', { service, tag }, tag)
}

/** As `warnOfServiceNames`, for the name of a node. */
export function warnOfNodeName(log: Log, node: string): void {
  warn(log, 'warn', 'Node name', { node }, node)
}

function warn(log: Log, level: LogLevel, what: string, fields: Readonly<Record<string, string>>, name: string): void {
  const why = problemOf(name)
  if (why !== undefined) log.write(level, 'agent', `${what} will not be discoverable via DNS due to ${why}`, fields)
}

function problemOf(name: string): string | undefined {
  if (/[^A-Za-z0-9-]/.test(name)) return 'invalid characters. Valid characters include all alpha-numerics and dashes.'
  return name.length > labelBytesMax ? 'it being too long. Valid lengths are between 1 and 63 bytes.' : undefined
}
