import { namesOf } from '../base/shape.ts'
import {
  changes,
  hasBehaviour,
  internalProtocolsOf,
  isAtLeast,
  isWithin,
  type Release,
  type ReleaseChange,
  raftProtocolsOf,
  releaseText,
} from './release.ts'
import type { UpgradeAdvice, UpgradeNote } from './upgrade-note.ts'
import { adviceOnChanges, furtherNotes } from './upgrade-notes.ts'

/** Advice, with the change that it concerns. */
export interface NamedNote extends UpgradeNote {
  readonly name: string
  /** The scenario that shows the change. */
  readonly scenario?: string
}

/** One upgrade of every agent, from one release to another. */
export interface Leg {
  readonly from: Release
  readonly to: Release
  /**
   * The Raft protocols of the servers: of the old release, of the new one at first, and then of each further round of
   * restarts. The last is the default of the new release.
   */
  readonly protocols: readonly number[]
  /** The value of `raft_protocol` on the new servers at first; undefined: their default suffices. */
  readonly raftProtocol: number | undefined
  /** The value of `protocol` on new agents at first, and the protocol of all after it is removed. */
  readonly agentProtocol: { readonly first: number; readonly then: number } | undefined
  /** Why the path stops here before its end. */
  readonly stop: string | undefined
  /** The advice on the changes of this leg, oldest first. */
  readonly notes: readonly NamedNote[]
}

/** All advice on upgrades, oldest first. */
export function upgradeNotes(): readonly NamedNote[] {
  const ofChanges = namesOf(changes).flatMap((name) => {
    const { since, reference, see }: ReleaseChange = changes[name]
    const advice: UpgradeAdvice | undefined = adviceOnChanges[name]
    const shown = 'scenario' in see ? { scenario: see.scenario } : {}
    return advice === undefined ? [] : [{ name, since, reference, ...shown, ...advice }]
  })
  const further = Object.entries<UpgradeNote>(furtherNotes).map(([name, note]) => ({ name, ...note }))
  return [...ofChanges, ...further].sort((one, other) => order(one.since, other.since))
}

/**
 * How to upgrade from one release to a later one: through as few others as possible, or through every release that
 * changed something.
 */
export function wayOf(from: Release, to: Release, through: 'needed' | 'every' = 'needed'): readonly Leg[] {
  const stops = stopsOf(from, to, through)
  let here = from
  let protocol = raftProtocolsOf(from).spoken
  return [...stops, { release: to, why: undefined }].map(({ release, why }) => {
    const leg = legOf(here, release, protocol, why)
    here = release
    protocol = raftProtocolsOf(release).spoken
    return leg
  })
}

/** The release to take in place of one that should be skipped; undefined: it need not be skipped. */
export function insteadOf(release: Release): (NamedNote & { readonly instead: Release }) | undefined {
  for (const note of upgradeNotes()) {
    const { since, instead } = note
    if (instead !== undefined && isWithin(release, { since, until: instead })) return { ...note, instead }
  }
  return undefined
}

interface Stop {
  readonly release: Release
  readonly why: string
}

function stopsOf(from: Release, to: Release, through: 'needed' | 'every'): readonly Stop[] {
  const stops = [...neededStops(from, to)]
  const add = (stop: Stop): void => {
    if (stops.every(({ release }) => order(release, stop.release) !== 0)) stops.push(stop)
  }
  if (through === 'every') {
    for (const { since } of [...Object.values<ReleaseChange>(changes), ...upgradeNotes()]) {
      const better = insteadOf(since)
      const release = better?.instead ?? since
      if (isAtLeast(from, release) || isAtLeast(release, to)) continue
      add({ release, why: better === undefined ? 'something changes with it.' : whyNot(since, better) })
    }
  }
  return stops.sort((one, other) => order(one.release, other.release))
}

/** As few as possible, because one release may satisfy what several changes require. */
function neededStops(from: Release, to: Release): readonly Stop[] {
  const asked = upgradeNotes()
    .flatMap(({ since, through, before, reference }) => {
      if (through === undefined || isAtLeast(from, through) || !isAtLeast(to, since)) return []
      return [{ release: through, since, why: `${before ?? ''} (${reference})` }]
    })
    .sort((one, other) => order(other.release, one.release))
  const stops: Stop[] = []
  for (const { release, since, why } of asked) {
    const passed = stops.find((stop) => isWithin(stop.release, { since: release, until: since }))
    if (passed === undefined) stops.push({ release, why })
    else stops[stops.indexOf(passed)] = { ...passed, why: `${passed.why} ${why}` }
  }
  return stops
}

/** Why a release is skipped. */
export function whyNot(release: Release, { instead, reference }: ReturnType<typeof insteadOf> & object): string {
  return `take ${releaseText(instead)} rather than ${releaseText(release)} (${reference}).`
}

function legOf(from: Release, to: Release, protocol: number, stop: string | undefined): Leg {
  const { min, spoken } = raftProtocolsOf(to)
  // Only neighbouring versions understand each other: if the default is further away, the new servers begin with the
  // neighbouring version, and are raised step by step.
  const first = Math.max(min, Math.min(spoken, protocol + 1))
  const protocols = [protocol, ...Array.from({ length: spoken - first + 1 }, (_, at) => first + at)]
  const notes = upgradeNotes().filter(({ since, through }) => {
    const isDone = through !== undefined && isAtLeast(from, through)
    return !isDone && !isAtLeast(from, since) && isAtLeast(to, since)
  })
  const agentProtocol = agentProtocolOf(from, to)
  return { from, to, agentProtocol, protocols, raftProtocol: first === spoken ? undefined : first, stop, notes }
}

/** Old and new agents must understand each other's protocol. */
function agentProtocolOf(from: Release, to: Release): Leg['agentProtocol'] {
  const { spoken, max } = internalProtocolsOf(from)
  const then = internalProtocolsOf(to).spoken
  return then <= max ? undefined : { first: spoken, then }
}

/** Whether servers get their votes in pairs, so that with an even number one of them waits for another. */
export function promotesInPairs(release: Release): boolean {
  return !hasBehaviour(release, 'promotion-one-by-one')
}

/** Negative: the first is older. */
export function order(one: Release, other: Release): number {
  if (!isAtLeast(one, other)) return -1
  return isAtLeast(other, one) ? 0 : 1
}
