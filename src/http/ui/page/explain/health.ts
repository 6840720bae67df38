import type { Check, Instance, Status } from '../api/catalog-shapes.ts'
import { type CommandLine, commandLine } from './command-line.ts'

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

const nodeMaintenance = '_node_maintenance'
const serviceMaintenance = '_service_maintenance:'
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
    return { text: `An operator put the node ${Node} into maintenance.`, command: commandLine('maint', '-disable') }
  if (CheckID.startsWith(serviceMaintenance)) {
    const command = commandLine('maint', '-disable', `-service=${ServiceID}`)
    return { text: `An operator put the instance ${ServiceID} into maintenance on ${Node}.`, command }
  }
  if (CheckID === member) {
    const text = `The agent of ${Node} does not answer the other agents: it is stopped, or the network to it is interrupted.`
    return { text, command: commandLine('members') }
  }
  const whose = ServiceID === '' ? `of the node ${Node}, which counts for all of its instances,` : ''
  const asked = ServiceID === '' ? ['-type=checks', `-state=${status}`] : ['-type=service', `-service=${ServiceName}`]
  return {
    text: `The check "${Name === '' ? CheckID : Name}" ${whose} is ${status}.`.replace('  ', ' '),
    command: commandLine('watch', ...asked),
  }
}

function effectOf(status: Status, onlyPassing: boolean, weights: Instance['Service']['Weights']): string {
  if (status === 'passing') return 'DNS and ?passing return this instance.'
  if (status === 'critical') return 'DNS and ?passing leave this instance out.'
  if (onlyPassing)
    return 'DNS leaves it out, because only_passing is set in the configuration of DNS; so does ?passing.'
  const weight =
    weights === undefined ? '' : ` In SRV records it has the weight ${weights.Warning}, not ${weights.Passing}.`
  return `DNS still returns this instance; ?passing leaves it out.${weight}`
}
