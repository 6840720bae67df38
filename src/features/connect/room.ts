import type { ReadTransaction } from '../../store/types.ts'
import { type MeshTimes, rootsMax } from './limits.ts'
import type { RootRow } from './model.ts'
import type { RotationRow } from './tables.ts'
import { activeRoot, crossingsBehind, goesMs, rootsByAge } from './views.ts'

/**
 * When there is room for another root, by a leader's wall clock; 0: now.
 *
 * 1. Each listed root is sent to every agent, and each crossing between the active root and the oldest listed one comes
 *    with every leaf. `rootsMax` limits both.
 * 2. Crossings are counted separately: a root that signed no leaf is removed at once, but the crossing that it made
 *    stays, as a link of the chain back to an older root.
 * 3. Both numbers fall only when roots are removed. The times of removal are known, so the first moment with room is,
 *    too.
 */
export function roomFromMs(tx: ReadTransaction, times: MeshTimes): number {
  const active = activeRoot(tx)
  // The first own root of a datacenter that followed another has no crossing, and the others become roots to be
  // removed.
  if (active === undefined || active.of !== '') return 0
  const listed = [...rootsByAge(tx)]
  if (hasRoom(tx, active, listed)) return 0
  const goes = new Map(listed.map((root) => [root, root.active || root.of !== '' ? Infinity : goesMs(tx, root, times)]))
  for (const atMs of [...goes.values()].sort((a, b) => a - b)) {
    const left = listed.filter((root) => (goes.get(root) ?? Infinity) > atMs)
    if (hasRoom(tx, active, left)) return atMs
  }
  return Number.POSITIVE_INFINITY
}

/** Whether an accepted rotation has not begun yet, because there is no room for its root. */
export function waitsForRoom(tx: ReadTransaction, { root }: RotationRow, times: MeshTimes): boolean {
  return root === null && roomFromMs(tx, times) > 0
}

function hasRoom(tx: ReadTransaction, active: RootRow, listed: readonly RootRow[]): boolean {
  const oldest = listed[0]?.generation ?? active.generation
  const crossings = crossingsBehind(tx, active).filter(({ generation }) => generation > oldest)
  return listed.length < rootsMax && crossings.length < rootsMax - 1
}
