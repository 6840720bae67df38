import { equalBytes } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { indexAfter, type LogIndex, noIndex, noTerm, type Term, termOf } from '../../model/log-position.ts'
import { encodeConfiguration } from '../core/configuration.ts'
import type { Configuration, Entry, HardState, Recovered } from '../core/types.ts'

/** Terms come in blocks of this size; each forced configuration begins a new one. */
const blockTerms = 0x1_0000_0000
/** Maximum number of elections in a block. */
const electionsMax = 1 << 24
/** Terms on disk have 48 bits; and a block must have room for the terms of all blocks before it (3 below). */
const lastBlock = 254

export interface Forced {
  readonly hardState: HardState
  readonly entry: Entry
}

/**
 * An entry after all others by which this server uses `configuration`, although no leader wrote it and no quorum
 * accepted it: for when the majority that could do so is lost for good. Why a server that starts from it is safe:
 * 1. No entry is dropped or changed, on any server. Committed entries on a remaining server stay there. They survive if
 *    a majority of the new voters has them: with one voter, always; with more, an elected leader has a log at least as
 *    new as a majority's, as always.
 * 2. Two logs with an entry of the same index and term must be equal up to it (paper 5.3); elections and appends rest
 *    on that. Remaining servers may end in different entries, so the entry's term must identify its predecessor: it is
 *    the term of the entry before it, one block of terms higher. Same index and term then mean the same index and term
 *    just before, and so, by the same property, the same log. And because the order of terms is kept, the newer of two
 *    logs remains the newer.
 * 3. No leader may ever write in such a term. In block b, counted from 0, elections have the terms b × 2^24 to (b + 1)
 *    × 2^24 of the block; terms forced from the previous block are below them, by induction. So the server's own term
 *    becomes the first of those, and elections continue from there. (At one per second, a block lasts half a year.)
 * 4. A server that has heard of a later block than its log ends in was left out of an earlier recovery in which others
 *    took part: what it would force could conflict with what they wrote at the same index. It is refused.
 * 5. Different configurations forced upon equal logs have the same index and term: two majorities without a common
 *    server could each elect a leader. This cannot be detected here: all remaining servers must be given the same file.
 *    For the same reason, a server that is not named in it must never come back with its data: together with others of
 *    its kind it is a majority of the old configuration, and ignores the new one.
 * 6. The entry is not committed by being here. The first leader of the new voters commits it with its own no-op.
 */
export function forceConfiguration(recovered: Recovered, configuration: Configuration): Result<Forced, string> {
  const { index, term } = lastOf(recovered)
  if (index === 0) return err('this server has no Raft state, so there is nothing to recover')
  const { hardState } = recovered
  const block = blockOf(term)
  if (blockOf(hardState.term) > block) {
    return err('this server was left out of an earlier recovery, and its log ends before it')
  }
  const newest = Math.max(term, hardState.term) - block * blockTerms
  if (block >= lastBlock || newest >= (block + 1) * electionsMax) {
    return err('there were more recoveries or elections than the term numbers allow')
  }
  const payload = encodeConfiguration(configuration)
  const next = block + 1
  return ok({
    hardState: { term: termOf(next * blockTerms + next * electionsMax), votedFor: undefined },
    entry: { index: indexAfter(index), term: termOf(term + blockTerms), kind: 'configuration', payload },
  })
}

/**
 * Whether the log ends that way already: the power failed after the entry was written and before the file was deleted.
 */
export function isForced({ entries }: Recovered, configuration: Configuration): boolean {
  const last = entries.at(-1)
  if (last?.kind !== 'configuration') return false
  return isForcedTerm(last.term) && equalBytes(last.payload, encodeConfiguration(configuration))
}

/** Whether an entry of this term was forced: no election has such a term (3 above). */
export function isForcedTerm(term: Term): boolean {
  const block = blockOf(term)
  return term - block * blockTerms < block * electionsMax
}

function lastOf({ entries, snapshot }: Recovered): { readonly index: LogIndex; readonly term: Term } {
  return entries.at(-1) ?? snapshot ?? { index: noIndex, term: noTerm }
}

function blockOf(term: Term): number {
  return Math.floor(term / blockTerms)
}
