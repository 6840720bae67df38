import { useEffect, useRef } from 'preact/hooks'
import { formWords as words } from '../words/form-words.ts'
import type { Act } from './use-act.ts'
import type { Drafted } from './use-draft.ts'

export interface MeanwhileProps<Entry, Typed> {
  readonly draft: Drafted<Entry, Typed>
  readonly act: Act
  /** What was changed. */
  readonly what: string
  /** The present state of what the form shows. */
  readonly present: string
}

/**
 * The entry has changed under the operator's hands: both states stand side by side, and the operator decides. What is
 * written over it is sent by the form, with all that the form asks and checks.
 */
export function Meanwhile<Entry, Typed>({ draft, act, what, present }: MeanwhileProps<Entry, Typed>) {
  const toSend = useRef<HTMLFormElement | null>(null)
  useEffect(() => {
    if (draft.isOutdated) return
    toSend.current?.requestSubmit()
    toSend.current = null
  })
  if (!draft.isOutdated) return null
  const decide = (choice: () => void) => () => {
    act.clear()
    choice()
  }
  return (
    <div class="problem conflict wide" role="alert">
      <p>
        <strong>{what}</strong>
      </p>
      <h3>{words.theirs}</h3>
      <pre>{present}</pre>
      <div class="actions">
        <button type="button" onClick={decide(draft.takeTheirs)}>
          {words.takeTheirs}
        </button>
        <button
          type="button"
          onClick={({ currentTarget: { form } }) => {
            toSend.current = form
            decide(draft.keepMine)()
          }}
        >
          {words.keepMine}
        </button>
      </div>
    </div>
  )
}
