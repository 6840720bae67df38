import { byteString } from '../../base/bytes.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { leafLeftMinMs, type MeshTimes, pruneMarginMs, rootsMax, staysMinMs } from './limits.ts'
import type { AuthorityRow, CrossingRow, LeavesRow, RootRow, RootsList } from './model.ts'
import {
  authorityTable,
  crossingsTable,
  leavesTable,
  onlyKey,
  type RestoredRow,
  type RotationRow,
  restoredTable,
  rootsTable,
  rotationsTable,
  type SignerRow,
  serialsTable,
  signersTable,
} from './tables.ts'

/** Pure reads of the authority's state, for other features and for the agent. */

/** Undefined: the authority has not begun. */
export function authorityOf(tx: ReadTransaction): AuthorityRow | undefined {
  return tx.get(authorityTable, onlyKey)
}

/** Empty: the authority has not begun. */
export function trustDomainOf(tx: ReadTransaction): string {
  return authorityOf(tx)?.trustDomain ?? ''
}

/** In order of ID. */
export function allRoots(tx: ReadTransaction): Iterable<RootRow> {
  return tx.all(rootsTable)
}

/** In order of age, the oldest first. */
export function rootsByAge(tx: ReadTransaction): Iterable<RootRow> {
  return tx.inIndexOrder(rootsTable, 'generation')
}

export function rootById(tx: ReadTransaction, id: string): RootRow | undefined {
  return tx.get(rootsTable, byteString(id))
}

export function activeRoot(tx: ReadTransaction): RootRow | undefined {
  for (const root of tx.all(rootsTable)) if (root.active) return root
  return undefined
}

/** The index of `rootsList`. It never falls, even when roots are removed. */
export function rootsIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(rootsTable)
}

export function rootsList(tx: ReadTransaction): RootsList {
  const roots = [...allRoots(tx)]
  // The trust domain never changes once there is a root, so its row, which may change, is not watched.
  const trustDomain = roots.length === 0 ? '' : tx.covered(trustDomainOf)
  return { activeRootId: roots.find(({ active }) => active)?.id ?? '', trustDomain, roots }
}

/** When the last leaf under a root expires, by datacenter, in order of name. */
export function leavesOf(tx: ReadTransaction, rootId: string): Iterable<LeavesRow> {
  return tx.prefix(leavesTable, byteString(`${rootId}\0`))
}

/**
 * In all datacenters; undefined: it has signed none. After a restore, any root may have signed leaves that the snapshot
 * does not know, including an earlier root that an operator installs again.
 */
export function lastLeafExpiry(tx: ReadTransaction, rootId: string): number | undefined {
  let last = forgottenExpiry(tx, rootId)
  for (const { expiresMs } of leavesOf(tx, rootId)) last = Math.max(last ?? expiresMs, expiresMs)
  return last
}

function forgottenExpiry(tx: ReadTransaction, rootId: string): number | undefined {
  const restored = restoredOf(tx)
  const root = rootById(tx, rootId)
  if (restored === undefined || root === undefined) return undefined
  // No leaf outlives its root.
  return Math.min(restored.leavesUntilMs, root.notAfterMs)
}

/**
 * When a root that is no longer active is removed, by a leader's wall clock. A root that has signed no leaf is removed
 * at once: no leaf in use depends on it.
 */
export function goesMs(tx: ReadTransaction, { id, replacedMs }: RootRow, times: MeshTimes): number {
  const last = lastLeafExpiry(tx, id)
  if (last === undefined) return replacedMs
  return Math.max(last + pruneMarginMs(times.skewMs), replacedMs + staysMinMs(times))
}

/** In order of age, the oldest first. */
export function allCrossings(tx: ReadTransaction): Iterable<CrossingRow> {
  return tx.all(crossingsTable)
}

/** Crossings from a root back to the oldest listed one, the newest first. */
export function crossingsBehind(tx: ReadTransaction, { generation }: RootRow): readonly CrossingRow[] {
  const oldest = oldestGeneration(tx)
  const behind: CrossingRow[] = []
  let at = generation
  while (at > oldest) {
    const crossing = tx.get(crossingsTable, orderedKey(at))
    if (crossing !== undefined) behind.push(crossing)
    // The chain between two roots of another datacenter comes from there, with the intermediate.
    at = crossing?.byGeneration ?? at - 1
  }
  return behind
}

/** 0: there is no root. */
export function oldestGeneration(tx: ReadTransaction): number {
  for (const { generation } of rootsByAge(tx)) return generation
  return 0
}

/** The PEM certificates that come with a leaf of this root, and the earliest expiry among them and the root. */
export interface Chain {
  readonly behind: readonly string[]
  readonly endMs: number
}

/**
 * Omits crossings that are about to expire, with those further back: they would shorten leaves to nothing, and the root
 * to which they lead is about to expire itself.
 */
export function chainOf(
  tx: ReadTransaction,
  root: RootRow,
  nowMs: number,
  times: Pick<MeshTimes, 'leafTtlMinMs'>,
): Chain {
  const signer = signerOf(tx, root.id)
  const behind = [...(signer?.ownIntermediates ?? [])]
  let endMs = Math.min(root.notAfterMs, signer?.chainEndMs ?? root.notAfterMs)
  for (const { certificates, notAfterMs } of crossingsBehind(tx, root)) {
    if (notAfterMs - nowMs < leafLeftMinMs(times)) break
    behind.push(...certificates)
    endMs = Math.min(endMs, notAfterMs)
  }
  return { behind, endMs }
}

/** Includes private keys, for signing on servers. */
export function signerOf(tx: ReadTransaction, rootId: string): SignerRow | undefined {
  return tx.get(signersTable, byteString(rootId))
}

/** The rotation under way. */
export function openRotation(tx: ReadTransaction): RotationRow | undefined {
  for (const row of tx.all(rotationsTable)) if (isOpen(row)) return row
  return undefined
}

export function rotationById(tx: ReadTransaction, id: number): RotationRow | undefined {
  return tx.get(rotationsTable, orderedKey(id))
}

export function watchRotation(tx: ReadTransaction, id: number): void {
  tx.watch(rotationsTable, { key: orderedKey(id) })
}

/** Watches the configuration, the roots and the rotations. */
export function watchAuthority(tx: ReadTransaction): void {
  tx.watch(authorityTable, { key: onlyKey })
  tx.watch(rotationsTable)
  tx.watch(rootsTable)
}

/** In order of age, including ended ones. */
export function allRotations(tx: ReadTransaction): Iterable<RotationRow> {
  return tx.all(rotationsTable)
}

export function isOpen({ step }: RotationRow): boolean {
  return step === 'begun' || step === 'requested' || step === 'crossed'
}

/** The next serial number, and the restore since which they are counted; 0: never restored. */
export function nextSerial(tx: ReadTransaction): { readonly first: bigint; readonly since: number } {
  const counted = tx.get(serialsTable, onlyKey)
  const restored = restoredOf(tx)
  // The counter of the snapshot is out of date: its numbers have been used since.
  const isOfSnapshot = restored !== undefined && (counted?.since ?? 0) < restored.index
  if (isOfSnapshot) return { first: BigInt(restored.serial), since: restored.index }
  return { first: BigInt(counted?.next ?? '1'), since: counted?.since ?? 0 }
}

/** When a snapshot was last restored; undefined: never. */
export function restoredOf(tx: ReadTransaction): RestoredRow | undefined {
  return tx.get(restoredTable, onlyKey)
}

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
