import {
  type Behaviour,
  changes,
  hasBehaviour,
  isAtLeast,
  isWithin,
  type Release,
  type ReleaseChange,
  raftProtocolsOf,
  releaseText,
} from './release.ts'
import type { UpgradeAdvice, UpgradeNote } from './upgrade-note.ts'
import { adviceOnChanges, furtherNotes } from './upgrade-notes.ts'

/** Advice with the change it is about. */
export interface NamedNote extends UpgradeNote {
  readonly name: string
}

/** One upgrade of every agent, from one release to another. */
export interface Leg {
  readonly from: Release
  readonly to: Release
  /**
   * What servers speak: of the old release, of the new one at first, and then in one more round of restarts for each that
   * follows. The last is the default of the new release.
   */
  readonly protocols: readonly number[]
  /** What `raft_protocol` is to be set to on the new servers at first; undefined: their default will do. */
  readonly raftProtocol: number | undefined
  /** Why the way does not go on at once to its end. */
  readonly stop: string | undefined
  /** About what changes on this leg, oldest first. */
  readonly notes: readonly NamedNote[]
}

/** Everything that is to be known about upgrades, oldest first. */
export function upgradeNotes(): readonly NamedNote[] {
  const ofChanges = Object.entries<ReleaseChange>(changes).flatMap(([name, { since, reference }]) => {
    const advice: UpgradeAdvice | undefined = adviceOnChanges[name as Behaviour]
    return advice === undefined ? [] : [{ name, since, reference, ...advice }]
  })
  const further = Object.entries<UpgradeNote>(furtherNotes).map(([name, note]) => ({ name, ...note }))
  return [...ofChanges, ...further].sort((one, other) => order(one.since, other.since))
}

/** How an upgrade goes from one release to a later one: through as few others as may be, or through all that changed something. */
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

/** The release to take for one that is better left out; undefined: it will do. */
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
  const notes = upgradeNotes()
  const needed = notes.flatMap(({ since, through: release, before, reference }): readonly Stop[] => {
    if (release === undefined || isAtLeast(from, release) || !isAtLeast(to, since)) return []
    return [{ release, why: `${before ?? ''} (${reference})` }]
  })
  const every =
    through === 'needed'
      ? []
      : [...Object.values<ReleaseChange>(changes), ...notes].flatMap(({ since }): readonly Stop[] => {
          const better = insteadOf(since)
          const release = better?.instead ?? since
          if (isAtLeast(from, release) || isAtLeast(release, to)) return []
          const why = better === undefined ? 'something changes with it.' : whyNot(since, better)
          return [{ release, why }]
        })
  const stops: Stop[] = []
  for (const stop of [...needed, ...every].sort((one, other) => order(one.release, other.release))) {
    if (stops.every(({ release }) => order(release, stop.release) !== 0)) stops.push(stop)
  }
  return stops
}

/** Why a release is left out. */
export function whyNot(release: Release, { instead, reference }: ReturnType<typeof insteadOf> & object): string {
  return `take ${releaseText(instead)} rather than ${releaseText(release)} (${reference}).`
}

function legOf(from: Release, to: Release, protocol: number, stop: string | undefined): Leg {
  const { min, spoken } = raftProtocolsOf(to)
  // Neighbours alone talk: where the default is further off, the new servers begin as neighbours, and are raised one by one.
  const first = Math.max(min, Math.min(spoken, protocol + 1))
  const protocols = [protocol, ...Array.from({ length: spoken - first + 1 }, (_, at) => first + at)]
  const notes = upgradeNotes().filter(({ since, through }) => {
    const isDone = through !== undefined && isAtLeast(from, through)
    return !isDone && !isAtLeast(from, since) && isAtLeast(to, since)
  })
  return { from, to, protocols, raftProtocol: first === spoken ? undefined : first, stop, notes }
}

/** Whether servers get their votes in pairs, so that of an even number one waits for another. */
export function promotesInPairs(release: Release): boolean {
  return !hasBehaviour(release, 'promotion-one-by-one')
}

/** Negative: the first is older. */
export function order(one: Release, other: Release): number {
  if (!isAtLeast(one, other)) return -1
  return isAtLeast(other, one) ? 0 : 1
}
