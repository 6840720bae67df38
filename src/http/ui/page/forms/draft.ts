/** What an operator has typed into a form, and what it was typed upon. */
export interface Draft<Entry, Typed> {
  /** The state of the entry against which a write is checked. */
  readonly base: Entry
  /** The fields as they were in that state, or as they were written since. */
  readonly upon: Typed
  readonly typed: Typed
}

/** The fields of a form for a state of its entry. */
export type TypedOf<Entry, Typed> = (entry: Entry) => Typed

export function draftOf<Entry, Typed>(entry: Entry, typedOf: TypedOf<Entry, Typed>): Draft<Entry, Typed> {
  const typed = typedOf(entry)
  return { base: entry, upon: typed, typed }
}

/**
 * The draft once the page has heard of a state of its entry. What the operator has not typed into follows the entry. What
 * is typed stays, and its write is checked against the new state only if the fields have the content there which they were
 * typed upon: that is the operator's own write before, or a change of what the form does not show.
 */
export function draftUpon<Entry, Typed>(
  draft: Draft<Entry, Typed>,
  entry: Entry,
  typedOf: TypedOf<Entry, Typed>,
): Draft<Entry, Typed> {
  if (isUntouched(draft)) return draftOf(entry, typedOf)
  return isSame(draft.upon, typedOf(entry)) ? { ...draft, base: entry } : draft
}

/** The draft once its write was acknowledged. The operator may have typed on meanwhile. */
export function draftAfterWrite<Entry, Typed>(draft: Draft<Entry, Typed>, written: Typed): Draft<Entry, Typed> {
  return { ...draft, upon: written }
}

/** Whether the entry was changed under the operator's hands. */
export function isOutdated<Entry, Typed>(
  draft: Draft<Entry, Typed>,
  entry: Entry,
  typedOf: TypedOf<Entry, Typed>,
): boolean {
  return !isUntouched(draft) && !isSame(draft.upon, typedOf(entry))
}

export function isUntouched<Entry, Typed>({ upon, typed }: Draft<Entry, Typed>): boolean {
  return isSame(upon, typed)
}

export function isSame<Typed>(a: Typed, b: Typed): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
