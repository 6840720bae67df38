import { type Release, releaseText } from '../../src/model/release.ts'
import type { Leg, NamedNote } from '../../src/model/upgrade-way.ts'

/** How servers come by their names in the consensus group: `leader`: it takes in each under its node ID. */
export type ServerNaming = 'stay' | 'leader' | 'peers.json'

/* Why the steps of a plan are as they are, in sentences for an operator. */

export function agentProtocolReasons({ from, to, agentProtocol }: Leg, isFirst: boolean): readonly string[] {
  if (!isFirst || agentProtocol === undefined) return []
  const { first, then } = agentProtocol
  return [
    `Agents of ${releaseText(from)} understand version ${first} of the protocol between agents alone, and those of ${releaseText(to)} speak ${then} if nothing is set: they begin with ${first}.`,
  ]
}

export function leaderLast(leg: Leg, isFirst: boolean): readonly string[] {
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
export function reasonsFor(wanted: 'leader last' | 'servers first', { notes }: Leg): readonly string[] {
  return notes.flatMap((note) =>
    note.order === wanted && note.during !== undefined ? [`${note.during} ${sourceText(note)}`] : [],
  )
}

export function protocolReasons(
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

export function namesReasons(names: ServerNaming, paired: boolean, to: Release): readonly string[] {
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
