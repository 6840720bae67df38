import type { Result } from '../../base/result.ts'
import type { CheckDefinition, CheckProbe, CheckStatus, OfferedService, ServiceFacts } from '../../model/catalog.ts'
import { probeFrom } from './check-probe.ts'
import type { Dialect, Fields } from './definition-fields.ts'
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
