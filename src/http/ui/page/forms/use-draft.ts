import { useEffect, useState } from 'preact/hooks'
import { useCaller } from '../live/context.ts'
import {
  type Draft,
  draftAfterWrite,
  draftOf,
  draftUpon,
  isOutdated,
  isSame,
  isUntouched,
  type TypedOf,
} from './draft.ts'

/** The fields of a form that changes an entry. */
export interface Drafted<Entry, Typed> extends Draft<Entry, Typed> {
  readonly isOutdated: boolean
  set(change: Partial<Typed>): void
  /** What was sent is acknowledged. */
  written(sent: Typed): void
  takeTheirs(): void
  keepMine(): void
}

/**
 * What is typed stays while the page is open, also while its entry cannot be shown: after a refusal the operator gives
 * another token and sends it then. `name`: of the form, once in a page.
 */
export function useDraft<Entry, Typed>(
  name: string,
  entry: Entry,
  typedOf: TypedOf<Entry, Typed>,
): Drafted<Entry, Typed> {
  const [draft, change] = useTyped<Draft<Entry, Typed>>(name, () => draftOf(entry, typedOf), isUntouched)
  // Of the draft at that time: the operator may type between what was drawn and this effect.
  useEffect(() => change((now) => draftUpon(now, entry, typedOf)), [entry])
  return {
    ...draft,
    isOutdated: isOutdated(draft, entry, typedOf),
    set: (part) => change((now) => ({ ...now, typed: { ...now.typed, ...part } })),
    written: (sent) => change((now) => draftAfterWrite(now, sent)),
    takeTheirs: () => change(() => draftOf(entry, typedOf)),
    keepMine: () => change((now) => ({ ...now, base: entry, upon: typedOf(entry) })),
  }
}

/** The fields of a form that makes something new. */
export interface NewTyped<Typed> {
  readonly typed: Typed
  set(change: Partial<Typed>): void
  /** What was sent exists now: the form is empty again, unless the operator has typed on meanwhile. */
  made(sent: Typed): void
}

export function useNew<Typed>(name: string, empty: Typed): NewTyped<Typed> {
  const [typed, change] = useTyped<Typed>(
    name,
    () => empty,
    (now) => isSame(now, empty),
  )
  return {
    typed,
    set: (part) => change((now) => ({ ...now, ...part })),
    made: (sent) => change((now) => (isSame(now, sent) ? empty : now)),
  }
}

type Change<T> = (next: (now: T) => T) => void

/** State that is kept with the page, not with the component, unless there is nothing to lose. */
function useTyped<T>(name: string, begin: () => T, isWorthless: (now: T) => boolean): readonly [T, Change<T>] {
  const { typed } = useCaller()
  const [now, setNow] = useState<T>(() => (typed.has(name) ? (typed.get(name) as T) : begin()))
  const change: Change<T> = (next) =>
    setNow((before) => {
      const after = next(before)
      if (isWorthless(after)) typed.delete(name)
      else typed.set(name, after)
      return after
    })
  return [now, change]
}
