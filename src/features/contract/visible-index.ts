import type { Authorizer } from '../../access/authorizer.ts'
import type { ReadTransaction } from '../../store/types.ts'

/**
 * The index at which an answer last changed for one caller, which may not see every row that it is made of. This is the one place
 * that states the rule; `agent/serving/seen-results.ts` applies it, and `test/property/agent/visible-index.test.ts` holds every
 * read to it.
 *
 * The index is the greatest of
 * - `newest`: the rows, and the tombstones of rows, that the caller may see among those about which was asked, by the same
 *   right that filters the answer. Where it may see no row, `never` takes its place;
 * - `floor`: departures of any rows of the kind. A row that was deleted, or that took another name, is not there to be filtered;
 * - `since`: the index at which the rights of the caller's token last became others (`TokenResolver.since`).
 * A caller whose rights leave out nothing, whatever the rows are, gets the index of the whole result, or `since`.
 *
 * It tells nothing of what is hidden:
 * 1. `newest` is made of what the caller may see, and `since` of its own rights.
 * 2. Neither a name that was asked for nor any rights go into `floor` and `never`: each is one number for all questions of one
 *    endpoint, which a question for a name that never existed tells as well.
 * 3. So a name that is hidden gets the same answer as one that never existed, value and index.
 *
 * It never falls for one caller with unchanged rights. Let a command at index `c` change what the caller may see; every index
 * that was answered before is that of an earlier command, and so below `c`.
 * 4. A row comes, or is replaced and stays in sight: `newest` is its `modifyIndex`, which is `c`.
 * 5. A row is deleted, or is replaced by one that is found or seen under another name: either it leaves a tombstone under its
 *    own name, whose index is `c`, or it departs (`TableDefinition.departures`), which raises `floor` to `c`. That holds also
 *    where the new name is one that the caller has no right to.
 * 6. A tombstone that is reaped leaves a floor that is not below it, and departures never fall.
 * 7. The last row in sight goes: `never` is at least `floor`, or is the last change of the whole table, which is `c`. A row that
 *    comes into sight later is later than any `never` answered before.
 * 8. Another state takes the place of this one: no index is below `Store.floor` from then on.
 *
 * No change is missed by a caller that waits beyond an index it was given, whatever gave it:
 * 9. What changes in sight at `c` raises the index to `c` at least (4, 5), and every index given before is below `c`. That holds
 *    of indexes that another build of the program gave, which counted hidden rows: they too are those of earlier commands. While
 *    servers of both kinds answer, a caller may see its index fall when another one answers, and misses nothing by it; so also
 *    on servers that restored a snapshot of such a build, where the departures before it count as of the table's last change.
 * 10. When rights change, what comes into sight may be old; `since` is then beyond every index given for the former rights.
 * 11. Rights that another datacenter tells have no index here. `since` is then the index of this server's state when it learned
 *    of them, which may differ between servers for as long as they keep what they were told (`acl.token_ttl`). A caller that is
 *    answered by several of them in that time may see its index fall, or wait out its time before it sees more.
 *
 * Nor does the time of an answer tell anything: a read that was parked is answered when what its caller may see is another
 * than when it was parked, and else is parked again, though hidden rows have raised `floor` or `never`.
 */
export interface Sight<Args, Reply> {
  readonly kind: 'by-row'
  /** Whether these rights leave out nothing, whatever the rows are. */
  all(authorizer: Authorizer): boolean
  /**
   * The greatest index of rows, and of tombstones beside them, that the caller may see among those about which was asked, also
   * of rows that a filter of the question leaves out of the answer; 0: it may see no row. `seen`: the answer as it is shown.
   */
  newest(authorizer: Authorizer, state: ReadTransaction, args: Args, seen: Reply): number
  floor(state: ReadTransaction, args: Args): number
  /** Absent: `floor`. */
  never?(state: ReadTransaction): number
}

/** The index of the whole result, for this reason: it is one number whatever name was asked for, or nothing is hidden. */
export interface OneForAll {
  readonly kind: 'one-for-all'
  readonly reason: string
}

export function byRow<Args, Reply>(sight: Omit<Sight<Args, Reply>, 'kind'>): Sight<Args, Reply> {
  return { kind: 'by-row', ...sight }
}

export function oneForAll(reason: string): OneForAll {
  return { kind: 'one-for-all', reason }
}

/** Without `since`. */
export function visibleIndex<Args, Reply>(
  sight: Sight<Args, Reply>,
  newest: number,
  state: ReadTransaction,
  args: Args,
): number {
  const floor = sight.floor(state, args)
  return Math.max(floor, newest > 0 ? newest : (sight.never?.(state) ?? 0))
}

/** Of rows that are all in sight. */
export function newestOf(rows: Iterable<{ readonly modifyIndex: number }>): number {
  let newest = 0
  for (const { modifyIndex } of rows) newest = Math.max(newest, modifyIndex)
  return newest
}
