import { byteString } from '../../base/bytes.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { leafLeftMinMs, type MeshTimes, pruneMarginMs, staysMinMs } from './limits.ts'
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

/** Pure reads of the authority, for other features and the agent too. */

/** Undefined: it has not begun. */
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

/** The oldest first. */
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

/** The index of what `rootsList` gives. It never falls, also when roots go. */
export function rootsIndex(tx: ReadTransaction): number {
  return tx.lastChange(rootsTable)
}

export function rootsList(tx: ReadTransaction): RootsList {
  const roots = [...allRoots(tx)]
  // The trust domain never changes once there is a root: the row that has it need not be looked at, for it may change.
  const trustDomain = roots.length === 0 ? '' : tx.covered(trustDomainOf)
  return { activeRootId: roots.find(({ active }) => active)?.id ?? '', trustDomain, roots }
}

/** When the last leaf under a root expires, by datacenter, in order of name. */
export function leavesOf(tx: ReadTransaction, rootId: string): Iterable<LeavesRow> {
  return tx.prefix(leavesTable, byteString(`${rootId}\0`))
}

/**
 * In all datacenters; undefined: it has signed none. Where a snapshot was restored any root may have signed leaves of which the
 * snapshot does not know, one of before that an operator gives again, too.
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
 * When a root goes that is no longer active, by the wall clock of a leader. A root that has signed no leaf goes at once: nothing
 * that anybody presents leads to it alone.
 */
export function goesMs(tx: ReadTransaction, { id, replacedMs }: RootRow, times: MeshTimes): number {
  const last = lastLeafExpiry(tx, id)
  if (last === undefined) return replacedMs
  return Math.max(last + pruneMarginMs(times.skewMs), replacedMs + staysMinMs(times))
}

/** The oldest first. */
export function allCrossings(tx: ReadTransaction): Iterable<CrossingRow> {
  return tx.all(crossingsTable)
}

/** From a root back to the oldest that is listed, the newest first. */
export function crossingsBehind(tx: ReadTransaction, { generation }: RootRow): readonly CrossingRow[] {
  const oldest = oldestGeneration(tx)
  const behind: CrossingRow[] = []
  let at = generation
  while (at > oldest) {
    const crossing = tx.get(crossingsTable, orderedKey(at))
    if (crossing !== undefined) behind.push(crossing)
    // What leads from one root of another datacenter to the next comes from there, with the intermediate.
    at = crossing?.byGeneration ?? at - 1
  }
  return behind
}

/** 0: there is no root. */
export function oldestGeneration(tx: ReadTransaction): number {
  for (const { generation } of rootsByAge(tx)) return generation
  return 0
}

/** What goes out behind a leaf of this root, PEM, and when the first of it expires, the root itself among them. */
export interface Chain {
  readonly behind: readonly string[]
  readonly endMs: number
}

/**
 * Crossings that are about to expire stay out, with those further back: they would shorten the leaf to nothing, and the root to
 * which they lead is about to expire itself.
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

/** With private keys: of servers, for signing. */
export function signerOf(tx: ReadTransaction, rootId: string): SignerRow | undefined {
  return tx.get(signersTable, byteString(rootId))
}

/** The one that is under way. */
export function openRotation(tx: ReadTransaction): RotationRow | undefined {
  for (const row of tx.all(rotationsTable)) if (isOpen(row)) return row
  return undefined
}

export function rotationById(tx: ReadTransaction, id: number): RotationRow | undefined {
  return tx.get(rotationsTable, orderedKey(id))
}

/** The oldest first, those that have ended too. */
export function allRotations(tx: ReadTransaction): Iterable<RotationRow> {
  return tx.all(rotationsTable)
}

export function isOpen({ step }: RotationRow): boolean {
  return step === 'begun' || step === 'requested' || step === 'crossed'
}

/** The serial number that comes next, and since which restore they are counted; 0: ever since. */
export function nextSerial(tx: ReadTransaction): { readonly first: bigint; readonly since: number } {
  const counted = tx.get(serialsTable, onlyKey)
  const restored = restoredOf(tx)
  // What came with a snapshot stands where it stood then, and others have had the numbers since.
  const isOfSnapshot = restored !== undefined && (counted?.since ?? 0) < restored.index
  if (isOfSnapshot) return { first: BigInt(restored.serial), since: restored.index }
  return { first: BigInt(counted?.next ?? '1'), since: counted?.since ?? 0 }
}

/** When a snapshot last took the place of the state; undefined: never. */
export function restoredOf(tx: ReadTransaction): RestoredRow | undefined {
  return tx.get(restoredTable, onlyKey)
}
