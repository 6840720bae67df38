import { onEvent, type ReadTransaction, type StateHook } from '../../store/types.ts'
import { type StateReplaced, stateReplaced } from '../snapshot/model.ts'
import { livesOfLeaf } from './limits.ts'
import { leafTtlMs } from './options.ts'
import { leavesTable, restoredTable } from './tables.ts'
import { allRoots, authorityOf, openRotation, restoredOf } from './views.ts'

/**
 * What the authority keeps over a restore, for certificates are out that a snapshot cannot know of. Its key is in the snapshot,
 * and signs on.
 *
 * 1. *No serial number comes twice.* Those given since the snapshot are not known in a cluster of new servers, and the index of its
 *    log may be far below that of the one before: nothing that is counted tells them. So numbers begin anew at one of 2^61 that the
 *    leader has drawn (`drawn`), above all that were ever counted from 1. For two such beginnings to come as near to each other
 *    as all leaves of ten years, 2^34 at 50 in a second, has a chance of 1 in 2^26; whatever clocks say.
 * 2. *No root goes before the leaves that are not remembered.* The cluster that made them knows their end: it is the last of all that
 *    stand in the state which is replaced. New servers do not: whatever was signed before now ends a life of a leaf from now at
 *    the latest, or that of an authority of another datacenter, by what the longest is of the options of both states and of
 *    rotations that they have under way. It holds for every root, for leaves of roots that are lost lead back to others by
 *    crossings. What it cannot know is a longer `LeafCertTTL` that new servers were never told of.
 * 3. *Roots made since the snapshot are lost, and stay so.* What is put back is what somebody wants to hold, whom it trusts before all
 *    else: it may be done to be rid of a root. Their leaves are accepted by way of crossings where these lead to a root that is
 *    back, and agents replace them; the leader says which are lost.
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

/** Of every leaf that the state has heard of, the end; and of those that one which it replaced had. */
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

/** Whether authorities of other datacenters are below its roots. */
function signsElsewhere(tx: ReadTransaction): boolean {
  const datacenters = new Set([...tx.all(leavesTable)].map(({ datacenter }) => datacenter))
  return datacenters.size > 1
}

/** From 2^61 to 2^62: eight bytes, and room for all that is counted from there. */
export function firstSerial(drawn: StateReplaced['drawn']): bigint {
  let number = 0n
  for (const byte of drawn.subarray(0, 8)) number = (number << 8n) | BigInt(byte)
  return (number & ((1n << 61n) - 1n)) | (1n << 61n)
}
