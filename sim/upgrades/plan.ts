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

/** What is to be upgraded, and how. */
export interface PlanOrder {
  readonly from: Release
  readonly to: Release
  /** In each datacenter. */
  readonly servers: number
  readonly clients: number
  /** The first is the primary one. */
  readonly datacenters: readonly string[]
  readonly accessControl: boolean
  /** Through as few other releases as may be, or through all that changed something. */
  readonly through: 'needed' | 'every'
}

/** Servers of one datacenter, one by one and the leader last: to a release, to a Raft protocol, or both. */
export interface ServerStep {
  readonly kind: 'servers'
  readonly datacenter: string
  /** Absent: they stay as they are, and change their protocol alone. */
  readonly release?: Release
  /** What `protocol` is set to; absent: nothing is. */
  readonly agentProtocol?: number
  /** What `raft_protocol` is set to; absent: nothing is. */
  readonly raftProtocol?: number
  /** How servers come by their names in the consensus group: `leader`: it takes in each under its node ID. */
  readonly names: 'stay' | 'leader' | 'peers.json'
  /** Servers with a vote when all are done. */
  readonly voters: number
  readonly why: readonly string[]
}

export interface ClientStep {
  readonly kind: 'clients'
  readonly datacenter: string
  readonly release: Release
  /** What `protocol` is set to; absent: nothing is. */
  readonly agentProtocol?: number
  readonly why: readonly string[]
}

/** Every agent of a datacenter, servers first: to another version of the protocol between agents. */
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
  /** What speaks against the order as a whole. */
  readonly warnings: readonly string[]
}

/** The steps of an upgrade, or in one line why there are none. */
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
    return `there is no release ${releaseText(release)} here: known are ${known}`
  }
  const way = order(from, to)
  if (way === 0) return `there is nothing to do: the cluster runs ${releaseText(to)} already`
  if (way < 0) return undefined
  return `from ${releaseText(from)} to ${releaseText(to)} would be a downgrade, and servers stop at what later ones wrote: set up a new cluster and restore its keys`
}

function warningsOf({ to, servers }: PlanOrder): readonly string[] {
  const better = insteadOf(to)
  const warnings: string[] = []
  if (better !== undefined) {
    warnings.push(`${releaseText(to)} is better left out: ${whyNot(to, better)}`)
  }
  if (servers < 3) {
    warnings.push(
      servers === 1
        ? 'One server: while it is restarted nothing is written, and nobody else has its data.'
        : 'Two servers: while either is restarted nothing is written.',
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
        ...(isFirst && isPrimary
          ? ['The primary datacenter first: the others wait for it where they depend on it.']
          : []),
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

function agentProtocolReasons({ from, to, agentProtocol }: Leg, isFirst: boolean): readonly string[] {
  if (!isFirst || agentProtocol === undefined) return []
  const { first, then } = agentProtocol
  return [
    `Agents of ${releaseText(from)} understand version ${first} of the protocol between agents alone, and those of ${releaseText(to)} speak ${then} if nothing is set: they begin with ${first}.`,
  ]
}

function agentSteps({ from, agentProtocol }: Leg, datacenter: string): readonly AgentStep[] {
  if (agentProtocol === undefined) return []
  const why = [
    `No agent of ${releaseText(from)} is left, so all may speak ${agentProtocol.then}; later releases understand no less.`,
  ]
  return [{ kind: 'agents', datacenter, agentProtocol: agentProtocol.then, why }]
}

function leaderLast(leg: Leg, isFirst: boolean): readonly string[] {
  if (!isFirst) return ['The leader goes last: so there is one moment without a leader, and no second.']
  const release = releaseText(leg.from)
  return [
    `The leader goes last: until then one of ${release} leads, and proposes nothing that servers of ${release} stop at.`,
    ...reasonsFor('leader last', leg),
  ]
}

/** The release that brought a change, its row in docs/reference/releases.md, and the scenario that shows it. */
export function sourceText({ since, reference, scenario }: NamedNote): string {
  const shown = scenario === undefined ? '' : `, scenarios/${scenario}.yaml`
  return `[${releaseText(since)}, ${reference}${shown}]`
}

/** Changes on the way for whose sake the order of steps is as it is. */
function reasonsFor(wanted: 'leader last' | 'servers first', { notes }: Leg): readonly string[] {
  return notes.flatMap((note) =>
    note.order === wanted && note.during !== undefined ? [`${note.during} ${sourceText(note)}`] : [],
  )
}

function protocolReasons(
  { from, to, protocols }: Leg,
  before: number,
  after: number,
  isFirst: boolean,
): readonly string[] {
  if (before === after) return []
  if (!isFirst)
    return [`Only neighbours among Raft protocols talk, so it is raised by one: from ${before} to ${after}.`]
  const spoken = protocols.at(-1) as number
  if (spoken === after) {
    return [
      `Servers of ${releaseText(from)} speak Raft protocol ${before}, those of ${releaseText(to)} ${after}: neighbours, which talk.`,
    ]
  }
  return [
    `Servers of ${releaseText(from)} speak Raft protocol ${before}, those of ${releaseText(to)} ${spoken} if nothing is set; only neighbours talk, so they begin with ${after}.`,
  ]
}

function namesReasons(names: ServerStep['names'], paired: boolean, to: Release): readonly string[] {
  if (names === 'stay') return []
  if (names === 'peers.json') {
    return [
      'From protocol 3 on servers are named by their node IDs. A single server is no member of its own group under that name, and nobody else takes it in: raft/peers.json does.',
    ]
  }
  const renamed =
    'From protocol 3 on servers are named by their node IDs: the leader takes the old name out and the new one in. Wait for that before the next.'
  if (!paired) return [renamed]
  return [
    renamed,
    `The last one gets no vote from ${releaseText(to)}, which gives votes in pairs; a later release does.`,
  ]
}

function clientStep(leg: Leg, datacenter: string): ClientStep {
  return {
    kind: 'clients',
    datacenter,
    release: leg.to,
    ...agentProtocolAt(leg, true),
    why: [
      'Clients after servers: older servers do not understand all that newer clients ask.',
      ...reasonsFor('servers first', leg),
    ],
  }
}
