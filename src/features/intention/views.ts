import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { IntentionRow } from './model.ts'
import { comparePrecedence, coveringPlaces, decidingOf, type Ends, type Place } from './place.ts'
import { endsKey, intentionsTable, placeKey } from './tables.ts'

/** Pure reads of intentions. Lists are in order of precedence. */

export function intentionById(tx: ReadTransaction, id: string): IntentionRow | undefined {
  return tx.get(intentionsTable, id)
}

export function allIntentions(tx: ReadTransaction): readonly IntentionRow[] {
  return [...tx.all(intentionsTable)].sort(comparePrecedence)
}

/** The intention between these ends. */
export function intentionBetween(tx: ReadTransaction, ends: Ends): IntentionRow | undefined {
  for (const row of tx.byIndex(intentionsTable, 'ends', endsKey(ends))) return row
  return undefined
}

/** The intentions that match a place as their source or as their destination, including wildcards. */
export function intentionsFor(
  tx: ReadTransaction,
  by: 'source' | 'destination',
  place: Place,
): readonly IntentionRow[] {
  const found = coveringPlaces(place).flatMap((each) => [...tx.byIndex(intentionsTable, by, placeKey(each))])
  return found.sort(comparePrecedence)
}

/** The intention that decides whether `source` may connect to `destination`; undefined: none matches. */
export function decidingIntention(tx: ReadTransaction, { source, destination }: Ends): IntentionRow | undefined {
  return decidingOf(intentionsFor(tx, 'destination', destination), source)
}

/** Every answer about intentions carries the index at which any of them was last created, changed or removed. */
export function intentionsIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(intentionsTable)
}

/** The index at which one was last removed, or got another destination. */
export function intentionDeparturesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastDeparture(intentionsTable, 'name')
}
