import { onEvent, type ReadTransaction, type StateHook } from '../../store/types.ts'
import { type StateReplaced, stateReplaced } from '../snapshot/model.ts'
import { livesOfLeaf } from './limits.ts'
import { leafTtlMs } from './options.ts'
import { leavesTable, restoredTable } from './tables.ts'
import { allRoots, authorityOf, openRotation, restoredOf } from './views.ts'

/**
 * What the authority keeps over a restore, because certificates are in use that the snapshot cannot know. Its key is in
 * the snapshot, and continues to sign.
 *
 * 1. *No serial number is used twice.* Those used since the snapshot are unknown in a cluster of new servers, and the
 *    index of its log may be far below the former one, so no counter helps. Numbers therefore restart at one of 2^61
 *    that the leader draws at random (`drawn`), above all that were ever counted from 1. The chance that two such
 *    starts are within 2^34 of each other, the number of leaves of ten years at 50 per second, is 1 in 2^26, whatever
 *    the clocks say.
 * 2. *No root is removed before unknown leaves have expired.* The cluster that signed them knows their latest expiry
 *    from the state that is replaced. New servers do not: everything signed before now expires at most one leaf
 *    lifetime from now, or one lifetime of another datacenter's authority, by the longest lifetime in the options of
 *    both states and of their rotations. This holds for every root, because leaves of lost roots lead to others by
 *    crossings. It cannot cover a longer `LeafCertTTL` that new servers never knew.
 * 3. *Roots created since the snapshot are lost, and stay lost.* The restored state is what an operator wants, trusted
 *    roots above all: a restore may serve to get rid of a root. Leaves of lost roots are accepted where crossings lead
 *    to a restored root, and agents replace them; the leader reports which are lost.
 */
export const restoringHooks: readonly StateHook[] = [
  onEvent(stateReplaced, (tx, { index, nowMs, drawn, coming }) => {
    const known = new Set([...allRoots(coming)].map(({ id }) => id))
    const before = [...allRoots(tx)].map(({ id }) => id)
    const leavesUntilMs = Math.max(lastKnownMs(tx), nowMs + longestLifeMs([tx, coming]))
    tx.put(
      restoredTable,
      Object.freeze({
        index,
        leavesUntilMs,
        serial: String(firstSerial(drawn)),
        lost: before.filter((id) => !known.has(id)),
      }),
    )
  }),
]

/** The latest expiry of every leaf that the state knows, including what an earlier restore recorded. */
function lastKnownMs(tx: ReadTransaction): number {
  let last = restoredOf(tx)?.leavesUntilMs ?? 0
  for (const { expiresMs } of tx.all(leavesTable)) last = Math.max(last, expiresMs)
  return last
}

function longestLifeMs(states: readonly ReadTransaction[]): number {
  let longest = 0
  for (const tx of states) {
    const all = [authorityOf(tx), openRotation(tx)].flatMap((row) => (row === undefined ? [] : leafTtlMs(row.options)))
    const lives = signsElsewhere(tx) ? livesOfLeaf : 1
    longest = Math.max(longest, ...all.map((ttlMs) => ttlMs * lives))
  }
  return longest
}

/**
 * Whether authorities of other datacenters are below its roots. The name of this datacenter is not in the state, but
 * stands beside theirs (`signAuthority`).
 */
function signsElsewhere(tx: ReadTransaction): boolean {
  const datacenters = new Set([...tx.all(leavesTable)].map(({ datacenter }) => datacenter))
  return datacenters.size > 1
}

/** From 2^61 to 2^62: eight bytes, with room for everything that is counted from there. */
export function firstSerial(drawn: StateReplaced['drawn']): bigint {
  let number = 0n
  for (const byte of drawn.subarray(0, 8)) number = (number << 8n) | BigInt(byte)
  return (number & ((1n << 61n) - 1n)) | (1n << 61n)
}
