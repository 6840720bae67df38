import type { KeyEntry } from '../../api/key-shapes.ts'
import { type EditedValue, editedValue } from '../../explain/value.ts'

/** What the operator has typed, and the state of the key that it was typed upon. */
export interface Draft {
  readonly base: KeyEntry
  readonly value: EditedValue
  readonly flags: string
}

export function draftOf(entry: KeyEntry): Draft {
  return { base: entry, value: editedValue(entry.Value), flags: String(entry.Flags) }
}

/**
 * The draft once the page has heard of a state of the key. What the operator has not typed into follows the key. What
 * is typed stays, and its write is checked against the new state only if that has the content which it was typed upon:
 * that is the operator's own write before, or a lock that came or went.
 */
export function draftUpon(draft: Draft, entry: KeyEntry): Draft {
  if (isUntouched(draft)) return draftOf(entry)
  return isSameContent(draft.base, entry) ? { ...draft, base: entry } : draft
}

/** The draft once its own write of this value was acknowledged. The operator may have typed on meanwhile. */
export function draftAfterWrite(draft: Draft, written: Draft, body: Uint8Array | undefined): Draft {
  return { ...draft, base: { ...written.base, Value: base64Of(body), Flags: written.flags } }
}

/** Whether the key was changed under the operator's hands. */
export function isOutdated(draft: Draft, entry: KeyEntry): boolean {
  return !isUntouched(draft) && !isSameContent(draft.base, entry)
}

function isUntouched({ base, value, flags }: Draft): boolean {
  return value.text === editedValue(base.Value).text && flags === String(base.Flags)
}

function isSameContent(base: KeyEntry, entry: KeyEntry): boolean {
  return (base.Value ?? '') === (entry.Value ?? '') && String(base.Flags) === String(entry.Flags)
}

function base64Of(bytes: Uint8Array | undefined): string {
  return btoa(Array.from(bytes ?? [], (byte) => String.fromCharCode(byte)).join(''))
}
