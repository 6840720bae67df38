import type { Check, Instance, Status } from '../api/catalog-shapes.ts'
import { healthReasonWords as words } from '../words/explain-words.ts'
import { type CommandLine, commandLine } from './command-line.ts'
import { nodeMaintenance, serviceMaintenance } from './drain.ts'

/** The worst status of all checks; an instance without checks is passing. */
export function worstOf(checks: readonly Check[] | null): Status {
  const statuses = (checks ?? []).map(({ Status: status }) => status)
  return (['critical', 'warning', 'passing'] as const).find((each) => statuses.includes(each)) ?? 'passing'
}

/** Why an instance is not passing, check by check, and what clients notice. */
export interface HealthReasons {
  readonly status: Status
  readonly reasons: readonly Reason[]
  /** What answers by DNS and `?passing` make of it. */
  readonly effect: string
}

export interface Reason {
  readonly check: Check
  readonly text: string
  /** Shows or ends it. */
  readonly command: CommandLine
}

const member = 'serfHealth'

export function healthReasons({ Service, Checks }: Instance, onlyPassing: boolean): HealthReasons {
  const status = worstOf(Checks)
  const failing = (Checks ?? []).filter((check) => check.Status !== 'passing')
  return {
    status,
    reasons: failing.map((check) => ({ check, ...reasonOf(check) })),
    effect: effectOf(status, onlyPassing, Service.Weights),
  }
}

function reasonOf({ CheckID, Status: status, Node, ServiceID, Name, ServiceName }: Check): Omit<Reason, 'check'> {
  if (CheckID === nodeMaintenance)
    return { text: words.nodeMaintenance(Node), command: commandLine('maint', '-disable') }
  if (CheckID.startsWith(serviceMaintenance)) {
    const command = commandLine('maint', '-disable', `-service=${ServiceID}`)
    return { text: words.serviceMaintenance(ServiceID, Node), command }
  }
  if (CheckID === member) return { text: words.silent(Node), command: commandLine('members') }
  const name = Name === '' ? CheckID : Name
  if (ServiceID === '') {
    const command = commandLine('watch', '-type=checks', `-state=${status}`)
    return { text: words.checkOfNode(name, Node, status), command }
  }
  const command = commandLine('watch', '-type=service', `-service=${ServiceName}`)
  return { text: words.check(name, status), command }
}

function effectOf(status: Status, onlyPassing: boolean, weights: Instance['Service']['Weights']): string {
  if (status === 'passing') return words.returned
  if (status === 'critical') return words.leftOut
  if (onlyPassing) return words.onlyPassing
  if (weights === undefined) return words.warning
  return `${words.warning} ${words.warningWeight(weights.Warning, weights.Passing)}`
}
