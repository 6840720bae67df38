import type { ReadTransaction } from '../../store/types.ts'
import { type MeshTimes, rootsMax } from './limits.ts'
import type { RootRow } from './model.ts'
import type { RotationRow } from './tables.ts'
import { activeRoot, crossingsBehind, goesMs, rootsByAge } from './views.ts'

/**
 * From when on there is room for another root, by the wall clock of a leader; 0: there is room now.
 *
 * 1. Each root that is listed is sent to every agent, and each crossing between the active root and the oldest listed one goes out with
 *    every leaf. `rootsMax` bounds both.
 * 2. The crossings are counted by themselves: a root that signed no leaf leaves the list at once, but the crossing that it made stays,
 *    for it is a link of the chain that leads back to an older root.
 * 3. Both numbers fall only when roots go. Which root goes when is known, so the first moment with room is, too.
 */
export function roomFromMs(tx: ReadTransaction, times: MeshTimes): number {
  const active = activeRoot(tx)
  // The first root of its own of a datacenter that followed another has no crossing, and takes the others over as roots that go.
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

/** Whether a rotation that has been accepted has not begun yet, because there is no room for its root. */
export function waitsForRoom(tx: ReadTransaction, { root }: RotationRow, times: MeshTimes): boolean {
  return root === null && roomFromMs(tx, times) > 0
}

function hasRoom(tx: ReadTransaction, active: RootRow, listed: readonly RootRow[]): boolean {
  const oldest = listed[0]?.generation ?? active.generation
  const crossings = crossingsBehind(tx, active).filter(({ generation }) => generation > oldest)
  return listed.length < rootsMax && crossings.length < rootsMax - 1
}
