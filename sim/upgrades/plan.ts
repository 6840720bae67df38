import { err, ok, type Result } from '../../src/base/result.ts'
import { optionsRefusedBetween, type RefusedOption } from '../../src/config/past/removed.ts'
import { isAtLeast, newestRelease, oldestRelease, type Release, releaseText } from '../../src/model/release.ts'
import {
  insteadOf,
  type Leg,
  type NamedNote,
  order,
  promotesInPairs,
  wayOf,
  whyNot,
} from '../../src/model/upgrade-way.ts'
import { isNamedById } from '../../src/raft/protocol.ts'
import {
  agentProtocolReasons,
  leaderLast,
  namesReasons,
  protocolReasons,
  reasonsFor,
  type ServerNaming,
} from './reasons.ts'

/** The upgrade to plan, and how it is to be done. */
export interface PlanOrder {
  readonly from: Release
  readonly to: Release
  /** Number of servers in each datacenter. */
  readonly servers: number
  readonly clients: number
  /** The first datacenter is the primary one. */
  readonly datacenters: readonly string[]
  readonly accessControl: boolean
  /**
   * Whether the plan passes through as few other releases as possible, or through every release that changed something.
   */
  readonly through: 'needed' | 'every'
}

/** Upgrades the servers of one datacenter one by one, the leader last: to a release, to a Raft protocol, or both. */
export interface ServerStep {
  readonly kind: 'servers'
  readonly datacenter: string
  /** Absent: the servers keep their release, and change only their protocol. */
  readonly release?: Release
  /** The value to set `protocol` to; absent: it is not set. */
  readonly agentProtocol?: number
  /** The value to set `raft_protocol` to; absent: it is not set. */
  readonly raftProtocol?: number
  readonly names: ServerNaming
  /** Number of servers with a vote once all servers are done. */
  readonly voters: number
  readonly why: readonly string[]
}

export interface ClientStep {
  readonly kind: 'clients'
  readonly datacenter: string
  readonly release: Release
  /** The value to set `protocol` to; absent: it is not set. */
  readonly agentProtocol?: number
  readonly why: readonly string[]
}

/** Moves every agent of a datacenter, servers first, to another version of the protocol between agents. */
export interface AgentStep {
  readonly kind: 'agents'
  readonly datacenter: string
  readonly agentProtocol: number
  readonly why: readonly string[]
}

export type PlanStep = ServerStep | ClientStep | AgentStep

export interface PlannedLeg {
  readonly leg: Leg
  readonly steps: readonly PlanStep[]
  readonly notes: readonly NamedNote[]
  readonly refused: readonly RefusedOption[]
}

export interface UpgradePlan {
  readonly order: PlanOrder
  readonly legs: readonly PlannedLeg[]
  /** Reasons against the order as a whole. */
  readonly warnings: readonly string[]
}

/** The steps of an upgrade, or one line that says why the upgrade is not possible. */
export function planUpgrade(wanted: PlanOrder): Result<UpgradePlan, string> {
  const refusal = refusalOf(wanted)
  if (refusal !== undefined) return err(refusal)
  const legs = wayOf(wanted.from, wanted.to, wanted.through).map((leg) => plannedLeg(leg, wanted))
  return ok({ order: wanted, legs, warnings: [...warningsOf(wanted), ...legs.flatMap(({ leg }) => oneWay(leg))] })
}

function refusalOf({ from, to }: PlanOrder): string | undefined {
  for (const release of [from, to]) {
    if (isAtLeast(release, oldestRelease) && isAtLeast(newestRelease, release)) continue
    const known = `${releaseText(oldestRelease)} to ${releaseText(newestRelease)}`
    return `release ${releaseText(release)} is unknown: plans cover releases ${known}`
  }
  const way = order(from, to)
  if (way === 0) return `there is nothing to do: the cluster runs ${releaseText(to)} already`
  if (way < 0) return undefined
  return `from ${releaseText(from)} to ${releaseText(to)} would be a downgrade, and a server stops when it reads data that a later release wrote: set up a new cluster and restore the keys there`
}

function warningsOf({ to, servers }: PlanOrder): readonly string[] {
  const better = insteadOf(to)
  const warnings: string[] = []
  if (better !== undefined) {
    warnings.push(`${releaseText(to)} should be skipped: ${whyNot(to, better)}`)
  }
  if (servers < 3) {
    warnings.push(
      servers === 1
        ? 'One server: while it restarts, no write succeeds, and no other server has its data.'
        : 'Two servers: while either of them restarts, no write succeeds.',
    )
  }
  return warnings
}

function oneWay({ notes }: Leg): readonly string[] {
  return notes.flatMap(({ noWayBack, since, reference }) =>
    noWayBack === true ? [`There is no way back from ${releaseText(since)} (${reference}).`] : [],
  )
}

function plannedLeg(leg: Leg, wanted: PlanOrder): PlannedLeg {
  const { accessControl, datacenters, clients } = wanted
  return {
    leg,
    steps: [
      ...datacenters.flatMap((datacenter) => [
        ...serverSteps(leg, wanted, datacenter),
        ...(clients === 0 ? [] : [clientStep(leg, datacenter)]),
      ]),
      ...datacenters.flatMap((datacenter) => agentSteps(leg, datacenter)),
    ],
    notes: leg.notes.filter(
      ({ where, order, inSteps }) =>
        order === undefined && inSteps === undefined && (where === undefined || accessControl),
    ),
    refused: optionsRefusedBetween(leg.from, leg.to),
  }
}

function serverSteps(leg: Leg, { servers, datacenters }: PlanOrder, datacenter: string): readonly ServerStep[] {
  const { to, protocols } = leg
  const isPrimary = datacenters.length > 1 && datacenter === datacenters[0]
  return protocols.slice(1).map((protocol, at): ServerStep => {
    const before = protocols[at] as number
    const renamed = isNamedById(protocol) && !isNamedById(before)
    const names = renamed ? (servers === 1 ? 'peers.json' : 'leader') : 'stay'
    const paired = names === 'leader' && promotesInPairs(to) && servers % 2 === 0
    const isFirst = at === 0
    const set = isFirst ? leg.raftProtocol : protocol
    return {
      kind: 'servers',
      datacenter,
      names,
      voters: paired ? servers - 1 : servers,
      ...(isFirst ? { release: to } : {}),
      ...(set === undefined ? {} : { raftProtocol: set }),
      ...agentProtocolAt(leg, isFirst),
      why: [
        ...(isFirst && isPrimary ? ['The primary datacenter goes first: the other datacenters depend on it.'] : []),
        ...(servers > 1 ? leaderLast(leg, isFirst) : []),
        ...agentProtocolReasons(leg, isFirst),
        ...protocolReasons(leg, before, protocol, isFirst),
        ...namesReasons(names, paired, to),
      ],
    }
  })
}

function agentProtocolAt({ agentProtocol }: Leg, isFirst: boolean): { readonly agentProtocol?: number } {
  return isFirst && agentProtocol !== undefined ? { agentProtocol: agentProtocol.first } : {}
}

function agentSteps({ from, agentProtocol }: Leg, datacenter: string): readonly AgentStep[] {
  if (agentProtocol === undefined) return []
  const why = [
    `No agent of ${releaseText(from)} is left, so all agents may speak version ${agentProtocol.then}, which every later release understands.`,
  ]
  return [{ kind: 'agents', datacenter, agentProtocol: agentProtocol.then, why }]
}

function clientStep(leg: Leg, datacenter: string): ClientStep {
  return {
    kind: 'clients',
    datacenter,
    release: leg.to,
    ...agentProtocolAt(leg, true),
    why: [
      'Clients go after servers: older servers do not understand every request of newer clients.',
      ...reasonsFor('servers first', leg),
    ],
  }
}
