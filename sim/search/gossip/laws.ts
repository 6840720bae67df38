import { itemAt } from '../../../src/base/items.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { type GossipContent, type Held, memberNames, type SeenMember } from './member.ts'

const ranks = { alive: 0, suspect: 1, dead: 2 } as const

/** Judges M3, M2 and related laws for one step of a member that ran before and after. */
export function lawsOf(
  before: SeenMember,
  now: SeenMember,
  heard: GossipContent | undefined,
  said: readonly Message[],
): string | undefined {
  for (const was of before.held) {
    const is = now.held.find(({ name }) => name === was.name)
    const broken = is === undefined ? undefined : rising(was, is)
    if (broken !== undefined) return broken
  }
  return heard === undefined ? undefined : (believed(before, now, heard) ?? refuted(before, now, heard, said))
}

function rising(was: Held, is: Held): string | undefined {
  if (is.incarnation < was.incarnation) return `M3: incarnations never fall (${is.name})`
  if (is.incarnation === was.incarnation && ranks[is.state] < ranks[was.state]) {
    return `M3: in one incarnation alive, suspect, dead (${is.name}: ${was.state}, then ${is.state})`
  }
  if ((is.state === 'dead') !== (is.status === 'failed' || is.status === 'left')) {
    return `M3: failed or left if and only if dead (${is.name}: ${is.state}, ${is.status})`
  }
  if (was.status === 'left' && is.status !== 'left' && is.incarnation === was.incarnation) {
    if (is.statusTime <= was.statusTime) return `M5: a member that left has left until it says otherwise (${is.name})`
  }
  return undefined
}

function heldBy(seen: SeenMember, name: string): Held | undefined {
  return seen.held.find((held) => held.name === name)
}

/** M2: an `alive` message that is newer than everything known of the member takes effect. */
function believed(before: SeenMember, now: SeenMember, heard: GossipContent): string | undefined {
  if (heard.kind !== 'alive' || heard.node === itemAt(memberNames, now.place)) return undefined
  const [was, is] = [heldBy(before, heard.node), heldBy(now, heard.node)]
  if (was === undefined || was.incarnation >= heard.incarnation) return undefined
  const isBelieved = is?.state === 'alive' && is.incarnation === heard.incarnation
  return isBelieved ? undefined : `M2: a refutation counts (${heard.node}, incarnation ${heard.incarnation})`
}

/** M2: a running member answers a claim about itself with a greater incarnation, if any other member can receive it. */
function refuted(
  before: SeenMember,
  now: SeenMember,
  heard: GossipContent,
  said: readonly Message[],
): string | undefined {
  const name = itemAt(memberNames, now.place)
  if ((heard.kind !== 'suspect' && heard.kind !== 'dead') || heard.node !== name || before.leaving !== 'member') {
    return undefined
  }
  if (heard.incarnation < (heldBy(before, name)?.incarnation ?? 0)) return undefined
  const own = heldBy(now, name)
  const isAlone = now.held.every((other) => other.name === name || other.status === 'left')
  const answers = isAlone || said.some((message) => message.kind === 'alive' && message.incarnation > heard.incarnation)
  if (own?.state === 'alive' && own.incarnation > heard.incarnation && answers) return undefined
  return `M2: an accusation is refuted (${heard.kind}, incarnation ${heard.incarnation})`
}
