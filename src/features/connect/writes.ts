import { byteString } from '../../base/bytes.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { WriteTransaction } from '../../store/types.ts'
import type { CrossingFacts, RootFacts } from './fields.ts'
import type { RootRow } from './model.ts'
import {
  crossingsTable,
  endedRotationsMax,
  leavesKey,
  leavesTable,
  type RotationRow,
  rootsTable,
  rotationsTable,
  serialsTable,
  signersTable,
} from './tables.ts'
import {
  activeRoot,
  allCrossings,
  allRotations,
  authorityOf,
  crossingsBehind,
  isOpen,
  leavesOf,
  nextSerial,
  oldestGeneration,
  rootById,
  rootsByAge,
  signerOf,
} from './views.ts'

/** Changes of the authority's tables by commands. Pure. */

/** Reserves this many serial numbers and returns the first. */
export function takeSerials(tx: WriteTransaction, count: number): bigint {
  const { first, since } = nextSerial(tx)
  tx.put(serialsTable, Object.freeze({ next: String(first + BigInt(count)), since }))
  return first
}

/** A later time already recorded is kept. */
export function noteLeaf(tx: WriteTransaction, rootId: string, datacenter: string, expiresMs: number): void {
  const known = tx.get(leavesTable, leavesKey(rootId, datacenter))
  if (known !== undefined && known.expiresMs >= expiresMs) return
  tx.put(leavesTable, Object.freeze({ rootId, datacenter, expiresMs }))
}

/**
 * Makes a root active, and the one before it inactive, in one step: every read of the state sees exactly one. The old
 * root's signing state is removed, because it signs nothing more. A root that is listed already is the same root again.
 */
export function activate(tx: WriteTransaction, facts: RootFacts, crossing: CrossingFacts | null, nowMs: number): void {
  const before = activeRoot(tx)
  const generation = (before === undefined ? 0 : newestGeneration(tx)) + 1
  if (before !== undefined) {
    const replaced = { active: false, replacedMs: nowMs, intermediates: [], modifyIndex: tx.index }
    tx.put(rootsTable, Object.freeze({ ...before, ...replaced }))
    tx.delete(signersTable, byteString(before.id))
    if (crossing !== null) {
      const by = { byGeneration: before.generation, byRootId: before.id }
      tx.put(crossingsTable, Object.freeze({ ...crossing, ...by, generation, rootId: facts.id }))
    }
  }
  putSigner(tx, facts)
  tx.put(
    rootsTable,
    Object.freeze({
      id: facts.id,
      name: facts.name,
      serialNumber: facts.serialNumber,
      signingKeyId: facts.signingKeyId,
      clusterId: authorityOf(tx)?.clusterId ?? '',
      notBeforeMs: facts.notBeforeMs,
      notAfterMs: facts.notAfterMs,
      certificate: facts.certificate,
      provider: facts.provider,
      of: '',
      active: true,
      generation,
      replacedMs: 0,
      intermediates: [],
      createIndex: rootById(tx, facts.id)?.createIndex ?? tx.index,
      modifyIndex: tx.index,
    }),
  )
  tidyCrossings(tx)
}

export function newestGeneration(tx: WriteTransaction): number {
  let newest = 0
  for (const { generation } of rootsByAge(tx)) newest = Math.max(newest, generation)
  return newest
}

export function putSigner(tx: WriteTransaction, facts: RootFacts): void {
  const { id: rootId, ownIntermediates, chainEndMs, privateKeyPem, rootCertificate } = facts
  tx.put(signersTable, Object.freeze({ rootId, ownIntermediates, chainEndMs, privateKeyPem, rootCertificate }))
}

/** Removes an inactive root, and everything that is recorded about it. */
export function removeRoot(tx: WriteTransaction, id: string): void {
  tx.delete(rootsTable, byteString(id))
  tx.delete(signersTable, byteString(id))
  for (const { datacenter } of [...leavesOf(tx, id)]) tx.delete(leavesTable, leavesKey(id, datacenter))
  tidyCrossings(tx)
}

/**
 * Removes crossings that lead further back than to the oldest listed root; the active root carries the remaining ones.
 */
export function tidyCrossings(tx: WriteTransaction): void {
  const oldest = oldestGeneration(tx)
  for (const { generation } of [...allCrossings(tx)]) {
    if (generation <= oldest) tx.delete(crossingsTable, orderedKey(generation))
  }
  const active = activeRoot(tx)
  if (active === undefined) return
  const intermediates = intermediatesOf(tx, active)
  if (sameTexts(intermediates, active.intermediates)) return
  tx.put(rootsTable, Object.freeze({ ...active, intermediates, modifyIndex: tx.index }))
}

function intermediatesOf(tx: WriteTransaction, active: RootRow): readonly string[] {
  const own = signerOf(tx, active.id)?.ownIntermediates ?? []
  return [...own, ...crossingsBehind(tx, active).flatMap(({ certificates }) => certificates)]
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at])
}

/** Keeps an ended rotation without its secrets, and removes the oldest of the ended ones. */
export function endRotation(
  tx: WriteTransaction,
  row: RotationRow,
  step: 'activated' | 'given-up' | 'refused',
  why = '',
): void {
  tx.put(
    rotationsTable,
    Object.freeze({ ...row, step, why, options: {}, root: null, crossing: null, modifyIndex: tx.index }),
  )
  const ended = [...allRotations(tx)].filter((each) => !isOpen(each))
  for (const { id } of ended.slice(0, Math.max(0, ended.length - endedRotationsMax))) {
    tx.delete(rotationsTable, orderedKey(id))
  }
}
