import type { Authorizer } from '../../access/authorizer.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'

/**
 * The index at which an answer last changed for one caller, which may not see every row behind it. This is the one
 * place that states the rule; `agent/requests/serving/seen-results.ts` applies it, and
 * `test/property/agent/visible-index.test.ts` checks every read against it.
 *
 * The index is the greatest of
 * - `newest`: the rows, and the tombstones of rows, that the caller may see among those that the request is about, by
 *   the same right that filters the answer. If it may see no row, `never` takes its place;
 * - `floor`: departures of any rows of the kind. A row that was deleted or renamed is no longer there to be filtered;
 * - `since`: the index at which the rights of the caller's token last changed (`TokenResolver.since`). A caller whose
 *   rights hide nothing, whatever the rows are, gets the index of the whole result, or `since`.
 *
 * It reveals nothing about what is hidden:
 * 1. `newest` depends only on what the caller may see, and `since` only on its own rights.
 * 2. `floor` and `never` depend neither on the requested name nor on any rights: each is one number for all requests to
 *    one endpoint, and a request for a name that never existed shows it as well.
 * 3. So a hidden name gets the same answer as one that never existed, value and index.
 *
 * It never falls for one caller with unchanged rights. Let a command at index `c` change what the caller may see; every
 * index that was answered before is that of an earlier command, and so below `c`.
 * 4. A row is created, or is replaced and stays visible: `newest` is its `modifyIndex`, which is `c`.
 * 5. A row is deleted, or is replaced by one that is found or seen under another name: either it leaves a tombstone
 *    under its own name, whose index is `c`, or it departs (`TableDefinition.departures`), which raises `floor` to `c`.
 *    That also holds if the caller has no right to the new name.
 * 6. A tombstone that is reaped leaves a floor that is not below it, and departures never fall.
 * 7. The last visible row is removed: `never` is at least `floor`, or is the last change of the whole table, which is
 *    `c`. A row that becomes visible later is later than any `never` answered before.
 * 8. The whole state is replaced: from then on no index is below `Store.floor`.
 *
 * A caller that waits for more than an index it was given misses no change, whatever gave that index:
 * 9. A visible change at `c` raises the index to `c` at least (4, 5), and every index given before is below `c`. That
 *    includes indexes from another build of the program, which counted hidden rows: they, too, are those of earlier
 *    commands. While servers of both builds answer, a caller may see its index fall when another server answers, and
 *    misses nothing by that. The same holds for servers that restored a snapshot of such a build, where earlier
 *    departures count as of the table's last change.
 * 10. When rights change, rows that become visible may be old; `since` is then greater than every index given for the
 *     former rights.
 * 11. Rights from another datacenter have no index here. `since` is then the index of this server's state when it
 *     learned them, which may differ between servers for as long as they cache them (`acl.token_ttl`). A caller that is
 *     answered by several servers in that time may see its index fall, or wait for its full time before it sees more.
 *
 * Nor does the time of an answer reveal anything: a parked read is answered when what its caller may see has changed
 * since it was parked, and is otherwise parked again, even if hidden rows have raised `floor` or `never`.
 */
export interface Sight<Args, Reply> {
  readonly kind: 'by-row'
  /** Whether these rights hide nothing, whatever the rows are. */
  all(authorizer: Authorizer): boolean
  /**
   * The greatest index of rows, and of their tombstones, that the caller may see among those that the request is about,
   * including rows that a filter of the request leaves out; 0: it may see no row. `seen` is the answer as it is shown.
   */
  newest(authorizer: Authorizer, state: ReadTransaction, args: Args, seen: Reply): ModifyIndex
  floor(state: ReadTransaction, args: Args): ModifyIndex
  /** Absent: `floor`. */
  never?(state: ReadTransaction): ModifyIndex
}

/**
 * Every caller gets the index of the whole result, for this reason: it is the same number whatever name was requested,
 * or nothing is hidden.
 */
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
  newest: ModifyIndex,
  state: ReadTransaction,
  args: Args,
): ModifyIndex {
  const floor = sight.floor(state, args)
  return greater(floor, newest > 0 ? newest : (sight.never?.(state) ?? noChange))
}

/** The greatest index of rows that are all visible. */
export function newestOf(rows: Iterable<{ readonly modifyIndex: ModifyIndex }>): ModifyIndex {
  let newest = noChange
  for (const { modifyIndex } of rows) newest = greater(newest, modifyIndex)
  return newest
}
