import type { ReadTransaction } from '../../store/types.ts'
import type { IntentionRow } from './model.ts'
import { coveringPlaces, type Ends, type Place } from './place.ts'
import { comparePrecedence, decidingOf } from './precedence.ts'
import { endsKey, intentionsTable, placeKey } from './tables.ts'

/** Pure reads of intentions. Lists are in order of precedence. */

export function intentionById(tx: ReadTransaction, id: string): IntentionRow | undefined {
  return tx.get(intentionsTable, id)
}

export function allIntentions(tx: ReadTransaction): readonly IntentionRow[] {
  return [...tx.all(intentionsTable)].sort(comparePrecedence)
}

/** The one with these ends. */
export function intentionBetween(tx: ReadTransaction, ends: Ends): IntentionRow | undefined {
  for (const row of tx.byIndex(intentionsTable, 'ends', endsKey(ends))) return row
  return undefined
}

/** Those that say something of a place as their source or as their destination, the ones with wildcards too. */
export function intentionsFor(
  tx: ReadTransaction,
  by: 'source' | 'destination',
  place: Place,
): readonly IntentionRow[] {
  const found = coveringPlaces(place).flatMap((each) => [...tx.byIndex(intentionsTable, by, placeKey(each))])
  return found.sort(comparePrecedence)
}

/** The one that decides whether `source` may connect to `destination`; undefined: none says anything. */
export function decidingIntention(tx: ReadTransaction, { source, destination }: Ends): IntentionRow | undefined {
  return decidingOf(intentionsFor(tx, 'destination', destination), source)
}

/** Every answer about intentions carries the index at which any of them last came, changed or went. */
export function intentionsIndex(tx: ReadTransaction): number {
  return tx.lastChange(intentionsTable)
}

/** At which one last went, or came to have another destination. */
export function intentionDeparturesIndex(tx: ReadTransaction): number {
  return tx.lastDeparture(intentionsTable, 'name')
}
