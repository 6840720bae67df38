import { z } from 'zod'
import { emptyBytes } from '../../base/bytes.ts'
import { InvariantViolation, invariant } from '../../base/invariant.ts'
import { greater, type ModifyIndex, modifyIndexOf } from '../../model/log-position.ts'
import { releaseOf } from '../../model/release.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { WriteTransaction } from '../../store/types.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { bytes, count } from '../contract/fields.ts'
import type { WholeState } from '../contract/whole-state.ts'
import { drawnBytes, stateBytesMax, stateReplaced } from './model.ts'
import { comingTable, onlyKey, piecesTable, replacedTable } from './tables.ts'
import { comingPieces, comingState, lastReplaced } from './views.ts'

/**
 * How an archive replaces the state. Its pieces come through the log, into tables beside the state; the last command
 * puts the archived state in place. Why that is safe:
 * 1. Each step is a command: every server applies the same ones in the same order, so each has the same pieces at the
 *    same index. This relies on Raft's state machine safety alone: nothing here bypasses the log, and no log is cut or
 *    skipped.
 * 2. Whether the pieces are complete follows from the replicated rows alone: all servers find the same. Whether they
 *    form a usable state does not, because a server of another release may know other tables or rows. So the last
 *    command does not decide that: (a) the leader checks the pieces itself before it proposes, and proposes nothing if
 *    they are unusable; (b) `restore-take` states that the leader could read them; (c) a server that cannot read them
 *    stops before it applies the command or anything after it, and says why, as with a command that it does not know.
 *    No server ever continues with the former state while others have the new one. (d) Leadership may change between
 *    (a) and the commit: the check holds for the pieces, which cannot change under their ID, and (c) applies to the new
 *    leader as to any server.
 * 3. The replacement is part of one command's apply, which is synchronous: no reader sees a part of either state.
 * 4. A server that stops at any point has the log or a snapshot, which contains the pieces like any other rows: it
 *    continues where it was.
 * 5. The writes of one restore carry an ID. A second restore replaces the first, whose further pieces are refused: two
 *    concurrent restores never mix.
 * 6. Indexes never fall: those of the state jump over the archive's if that is ahead (`ahead`), which is a row like
 *    others, and no result counts as older than the replacement.
 * 7. What the cluster records about itself stays: which writes took effect, so that a repetition after the replacement
 *    does not take effect again; and the Raft configuration, which is not part of the state at all.
 * 8. Effects outside the state that a restore would repeat or forget are the responsibility of their feature, through
 *    the event `stateReplaced`: it contains both states, the leader's clock, and random bytes of the leader, all of
 *    which are in the log.
 */
const since = releaseOf('snapshots-over-http')

/** Maximum size of a piece: far below the maximum of a log entry. */
export const pieceBytesMax = 256 << 10

/** `superseded`: another restore has started since. `gap`: pieces are missing before this one. */
export type StepOutcome = 'done' | 'superseded' | 'gap'

const id = z.string().max(64)

const beginBody = z.strictObject({ id, sizeBytes: count.max(stateBytesMax) })

export const restoreBegin: CommandDefinition<z.infer<typeof beginBody>, StepOutcome> = {
  kind: 'snapshot.restore-begin',
  since,
  body: beginBody,
  apply: (tx, { id, sizeBytes }, whole) => {
    forget(tx, whole)
    tx.put(comingTable, Object.freeze({ id, sizeBytes, receivedBytes: 0 }))
    return 'done'
  },
}

const pieceBody = z.strictObject({ id, offset: count, bytes })

export const restorePiece: CommandDefinition<z.infer<typeof pieceBody>, StepOutcome> = {
  kind: 'snapshot.restore-piece',
  since,
  body: pieceBody,
  apply: (tx, { id, offset, bytes }, whole) => {
    const coming = comingState(tx)
    if (coming?.id !== id) return 'superseded'
    if (coming.receivedBytes !== offset || offset + bytes.length > coming.sizeBytes) return 'gap'
    const kept = bytes.slice()
    tx.put(piecesTable, Object.freeze({ offset, bytes: kept }))
    tx.put(comingTable, Object.freeze({ ...coming, receivedBytes: offset + bytes.length }))
    whole?.prepare(offset, kept)
    return 'done'
  },
}

const endBody = z.strictObject({ id })

export type RestoreOutcome =
  | { readonly kind: 'replaced'; readonly index: ModifyIndex }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * The replacement in the form of earlier logs, where each server decides for itself whether it can read the state, and
 * refuses otherwise. No longer proposed, because servers of different releases may decide differently.
 */
export const restoreCommit: CommandDefinition<z.infer<typeof endBody>, RestoreOutcome> = {
  kind: 'snapshot.restore-commit',
  since,
  body: endBody,
  apply: (tx, { id }, whole) => {
    const outcome = replace(tx, id, whole)
    return outcome.kind === 'unreadable' ? { kind: 'refused', message: outcome.message } : outcome
  },
}

const takeBody = z.strictObject({
  id,
  /** The leader's wall clock and random bytes. Absent in logs of earlier releases. */
  by: z
    .strictObject({
      nowMs: z.number(),
      drawn: bytes.refine(({ length }) => length === drawnBytes, 'of another length'),
    })
    .optional(),
})

/** The replacement. Proposed by a leader that has read the whole new state. */
export const restoreTake: CommandDefinition<z.infer<typeof takeBody>, RestoreOutcome> = {
  kind: 'snapshot.restore-take',
  since,
  body: takeBody,
  apply: (tx, { id, by }, whole) => {
    const outcome = replace(tx, id, whole, by)
    if (outcome.kind !== 'unreadable') return outcome
    throw new InvariantViolation('a restored state that this release cannot read: run that of the leader here', {
      why: outcome.message,
      index: tx.index,
    })
  },
}

function replace(
  tx: WriteTransaction,
  id: string,
  whole: WholeState | undefined,
  by?: z.infer<typeof takeBody>['by'],
): RestoreOutcome | { readonly kind: 'unreadable'; readonly message: string } {
  invariant(whole !== undefined, 'only the server that keeps a state replaces it')
  const row = comingState(tx)
  if (row?.id !== id) return { kind: 'refused', message: superseded }
  if (row.receivedBytes !== row.sizeBytes) return { kind: 'refused', message: 'the snapshot is incomplete' }
  const replaced = whole.replace(row.sizeBytes, () => comingPieces(tx))
  forget(tx, undefined)
  if (!replaced.ok) return { kind: 'unreadable', message: replaced.error }
  const coming = replaced.value
  const index = greater(tx.index, modifyIndexOf(coming.index + 1))
  const ahead = (lastReplaced(tx)?.ahead ?? 0) + index - tx.index
  tx.put(replacedTable, Object.freeze({ index, ahead }))
  if (by !== undefined) tx.raise(stateReplaced, { index, coming, ...by })
  return { kind: 'replaced', index }
}

export const superseded = 'another restore has started'

/** Drops the received pieces, unless another restore has started. */
export const restoreAbandon: CommandDefinition<z.infer<typeof endBody>, null> = {
  kind: 'snapshot.restore-abandon',
  outcome: z.null(),
  since,
  body: endBody,
  apply: (tx, { id }, whole) => {
    if (comingState(tx)?.id === id) forget(tx, whole)
    return null
  },
}

function forget(tx: WriteTransaction, whole: WholeState | undefined): void {
  for (const { offset } of [...tx.all(piecesTable)]) tx.delete(piecesTable, orderedKey(offset))
  tx.delete(comingTable, onlyKey)
  whole?.prepare(0, emptyBytes)
}
