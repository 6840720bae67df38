import { type Release, releaseText } from '../../src/model/release.ts'
import type { Leg, NamedNote } from '../../src/model/upgrade-way.ts'

/** How servers get their names in the consensus group. `leader`: the leader adds each server under its node ID. */
export type ServerNaming = 'stay' | 'leader' | 'peers.json'

/* Why the steps of a plan are as they are, in sentences for an operator. */

export function agentProtocolReasons({ from, to, agentProtocol }: Leg, isFirst: boolean): readonly string[] {
  if (!isFirst || agentProtocol === undefined) return []
  const { first, then } = agentProtocol
  return [
    `Agents of ${releaseText(from)} understand only version ${first} of the protocol between agents, and agents of ${releaseText(to)} speak ${then} by default: they start with ${first}.`,
  ]
}

export function leaderLast(leg: Leg, isFirst: boolean): readonly string[] {
  if (!isFirst) return ['The leader goes last, so that there is only one moment without a leader.']
  const release = releaseText(leg.from)
  return [
    `The leader goes last: until then a server of ${release} leads, and proposes no command that would stop the other servers of ${release}.`,
    ...reasonsFor('leader last', leg),
  ]
}

/** The release that brought a change, its row in docs/reference/releases.md, and the scenario that shows it. */
export function sourceText({ since, reference, scenario }: NamedNote): string {
  const shown = scenario === undefined ? '' : `, scenarios/${scenario}.yaml`
  return `[${releaseText(since)}, ${reference}${shown}]`
}

/** The changes on the way that explain the order of the steps. */
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
    return [
      `Servers whose Raft protocols differ by more than one do not talk, so it is raised by one: from ${before} to ${after}.`,
    ]
  const spoken = protocols.at(-1) as number
  if (spoken === after) {
    return [
      `Servers of ${releaseText(from)} speak Raft protocol ${before}, those of ${releaseText(to)} ${after}: these differ by one, so they talk.`,
    ]
  }
  return [
    `Servers of ${releaseText(from)} speak Raft protocol ${before}, those of ${releaseText(to)} ${spoken} by default; servers whose protocols differ by more than one do not talk, so they start with ${after}.`,
  ]
}

export function namesReasons(names: ServerNaming, paired: boolean, to: Release): readonly string[] {
  if (names === 'stay') return []
  if (names === 'peers.json') {
    return [
      'From protocol 3 on servers are named by their node IDs. A single server is not a member of its group under that name, and no other server can add it: raft/peers.json does.',
    ]
  }
  const renamed =
    'From protocol 3 on servers are named by their node IDs: the leader removes the old name and adds the new one. Wait for that before you continue with the next server.'
  if (!paired) return [renamed]
  return [
    renamed,
    `The last server gets no vote in ${releaseText(to)}, which gives votes to pairs of servers; it gets one in a later release.`,
  ]
}
