import {
  changes,
  newestRelease,
  oldestRelease,
  type Release,
  type ReleaseChange,
  releaseText,
} from '../../src/model/release.ts'
import { order, upgradeNotes } from '../../src/model/upgrade-way.ts'

/** Every release with which something changed, and the two ends: oldest first. */
function everyRelease(): readonly Release[] {
  const found = new Map<string, Release>()
  const known = [...Object.values<ReleaseChange>(changes), ...upgradeNotes()].map(({ since }) => since)
  for (const release of [oldestRelease, ...known, newestRelease]) found.set(releaseText(release), release)
  return [...found.values()].sort(order)
}

/** Each with every later one. */
export function everyPair(): readonly (readonly [from: Release, to: Release])[] {
  const releases = everyRelease()
  return releases.flatMap((from, at) => releases.slice(at + 1).map((to) => [from, to] as const))
}
