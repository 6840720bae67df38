import { err, ok, type Result } from '../../base/result.ts'
import type { CheckDefinition, CheckProbe, CheckStatus, OfferedService, ServiceFacts } from '../../model/catalog.ts'
import type { Fields } from './definition-fields.ts'
import type { Dialect } from './definition-matching.ts'
import { type CheckMembers, checkOldSpellings, type ServiceMembers, serviceCheckNames } from './definition-names.ts'
import type { DefinitionProblem } from './definition-problems.ts'

/**
 * Minimum time from a check's critical status to the deregistration of its service. Reference:
 * configuration.md#minimum-deregister-time.
 */
const deregisterAfterMinMs = 60_000

export interface CheckRead {
  readonly token: string
  readonly id: string
  readonly name: string
  readonly notes: string
  readonly serviceId: string
  /** Undefined: not a status. */
  readonly status: CheckStatus | undefined
  readonly deregisterAfterMs: number
  readonly probe: Result<CheckProbe, string>
}

export function readCheck(fields: Fields<CheckMembers>): CheckRead {
  const token = fields.text('token')
  fields.text('shell')
  return {
    token,
    id: fields.text('id'),
    name: fields.text('name'),
    notes: fields.text('notes'),
    serviceId: fields.text('serviceId'),
    status: statusOf(fields.text('status')),
    deregisterAfterMs: fields.durationMs('deregisterAfter'),
    probe: probeFrom(fields),
  }
}

/** `''` is critical: the check has not been reported yet. */
function statusOf(text: string): CheckStatus | undefined {
  if (text === '') return 'critical'
  return text === 'passing' || text === 'warning' || text === 'critical' ? text : undefined
}

/** As in the field, an empty `check` counts as absent, while an empty member of `checks` is an error. */
export function checksOf(fields: Fields<ServiceMembers>): readonly Fields<CheckMembers>[] {
  const one = fields.object('check', serviceCheckNames, checkOldSpellings)
  const several = fields.objects('checks', serviceCheckNames, checkOldSpellings)
  return one === undefined || one.empty() ? several : [one, ...several]
}

export function serviceChecks(service: OfferedService, reads: readonly CheckRead[]): readonly CheckDefinition[] {
  const checks: CheckDefinition[] = []
  for (const [at, read] of reads.entries()) {
    if (!read.probe.ok || read.status === undefined) continue
    const ownId = `service:${service.id}${reads.length > 1 ? `:${at + 1}` : ''}`
    const name = read.name || `Service '${service.service}' check`
    const check = definitionOf(read, read.status, read.probe.value, read.id || ownId, name, service.id)
    checks.push(service.token === undefined ? check : { ...check, token: service.token })
  }
  return checks
}

export function definitionOf(
  read: CheckRead,
  status: CheckStatus,
  probe: CheckProbe,
  checkId: string,
  name: string,
  serviceId: string,
): CheckDefinition {
  const afterMs = read.deregisterAfterMs
  return {
    checkId,
    name,
    notes: read.notes,
    serviceId,
    status,
    probe,
    deregisterCriticalServiceAfterMs: afterMs > 0 ? Math.max(afterMs, deregisterAfterMinMs) : 0,
  }
}

export function checksProblem(
  dialect: Dialect,
  service: ServiceFacts,
  fields: readonly Fields<CheckMembers>[],
  reads: readonly CheckRead[],
  where: string,
): DefinitionProblem | undefined {
  const within = dialect === 'http' ? '' : ` of service ${JSON.stringify(service.service)}`
  for (const [at, read] of reads.entries()) {
    const named = dialect === 'http' || read.name === '' ? '' : ` ${JSON.stringify(read.name)}`
    if (read.probe.ok) continue
    return {
      path: fields[at]?.path ?? [],
      message: `Invalid check${named}${dialect === 'http' ? where : within}: ${read.probe.error}`,
      remedy: '',
      names: [read.name, service.service],
    }
  }
  const bad = reads.findIndex((read) => read.status === undefined)
  if (bad < 0) return undefined
  const message = "Status for checks must 'passing', 'warning', 'critical'"
  return {
    path: fields[bad]?.pathOf('status') ?? [],
    message: `${message}${within}`,
    remedy: '',
    names: [service.service],
  }
}

/** Minimum interval of a check. */
const intervalMinMs = 1_000
const timeoutDefaultMs = 10_000
const scriptTimeoutDefaultMs = 30_000

/**
 * How a check runs, from the members of its definition, or why they do not fit together. Reference:
 * definitions.md#check-types, definitions.md#check-validation-texts.
 */
function probeFrom(fields: Fields<CheckMembers>): Result<CheckProbe, string> {
  const ttlMs = fields.durationMs('ttl')
  const givenIntervalMs = fields.durationMs('interval')
  const timeoutMs = fields.durationMs('timeout')
  const argv = programOf(fields)
  const url = fields.text('http')
  const address = fields.text('tcp')
  const method = fields.text('method')
  const header = fields.textLists('header')
  const tlsSkipVerify = fields.flag('tlsSkipVerify')
  const target = fields.text('grpc')
  const useTls = fields.flag('grpcUseTls')
  const container = fields.text('dockerContainerId')
  const alias = { node: fields.text('aliasNode'), service: fields.text('aliasService') }
  const isAlias = alias.node !== '' || alias.service !== ''
  const runs = argv.length > 0 || url !== '' || address !== '' || target !== ''
  const misfit = misfitOf({ ttlMs, intervalMs: givenIntervalMs, runs, alias: isAlias })
  if (misfit !== undefined) return err(misfit)
  if (ttlMs > 0) return ok({ kind: 'ttl', ttlMs })
  const intervalMs = Math.max(givenIntervalMs, intervalMinMs)
  const limitMs = timeoutMs > 0 && timeoutMs < intervalMs ? timeoutMs : Math.min(timeoutDefaultMs, intervalMs)
  if (url !== '') return ok({ kind: 'http', url, method, header, tlsSkipVerify, intervalMs, timeoutMs: limitMs })
  if (address !== '') return ok({ kind: 'tcp', address, intervalMs, timeoutMs: limitMs })
  if (target !== '') {
    const grpcTimeoutMs = timeoutMs > 0 ? timeoutMs : timeoutDefaultMs
    return ok({ kind: 'grpc', target, useTls, tlsSkipVerify, intervalMs, timeoutMs: grpcTimeoutMs })
  }
  const [program, ...rest] = argv
  if (program === undefined) return ok({ kind: 'alias', ...alias })
  const scriptTimeoutMs = timeoutMs > 0 ? timeoutMs : scriptTimeoutDefaultMs
  const run = { argv: [program, ...rest], intervalMs, timeoutMs: scriptTimeoutMs } as const
  return ok(container === '' ? { kind: 'script', ...run } : { kind: 'container', container, ...run })
}

/** Before `old-definition-keys-refused`, also a single text that a shell interprets. */
function programOf(fields: Fields<CheckMembers>): readonly string[] {
  const script = fields.text('script')
  const args = fields.texts('args')
  return args.length > 0 || script === '' ? args : ['/bin/sh', '-c', script]
}

interface Kinds {
  readonly ttlMs: number
  readonly intervalMs: number
  /** Whether the agent runs the check periodically. */
  readonly runs: boolean
  readonly alias: boolean
}

function misfitOf({ ttlMs, intervalMs, runs, alias }: Kinds): string | undefined {
  if (intervalMs > 0 && ttlMs > 0) return 'Interval and TTL cannot both be specified'
  if (runs && intervalMs <= 0) return 'Interval must be > 0 for Script, HTTP, or TCP checks'
  if (runs && alias) return 'Interval cannot be set for Alias checks'
  if (alias && ttlMs > 0) return 'TTL must be not be set for Alias checks'
  if (!runs && !alias && ttlMs <= 0) return 'TTL must be > 0 for TTL checks'
  return undefined
}
