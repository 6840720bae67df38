import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Problem } from '../parts/problem.tsx'
import { formWords } from '../words/form-words.ts'
import type { Act } from './use-act.ts'

export interface FormProps {
  readonly title: string
  readonly act: Act
  /** The right that the write needs. */
  readonly needs?: string
  readonly submit: string
  /** Why the form cannot be sent yet, beyond what the browser itself says of required fields. */
  readonly blocked?: string | undefined
  send(): void
  /** Further buttons. */
  readonly others?: ComponentChildren
  readonly children: ComponentChildren
}

/** A form with its button, and below it what became of it. The agent's refusal is shown in the agent's words. */
export function Form({ title, act, needs, submit, blocked, send, others, children }: FormProps) {
  const submitted = (event: Event): void => {
    event.preventDefault()
    if (!act.busy && blocked === undefined) send()
  }
  // What was done is no statement about what is typed since.
  const typedOn = (): void => {
    if (act.done !== '') act.clear()
  }
  return (
    <form class="form" aria-label={title} onSubmit={submitted} onInput={typedOn}>
      <h2>{title}</h2>
      <div class="fields">{children}</div>
      {blocked !== undefined && <p class="blocked">{blocked}</p>}
      <div class="actions">
        <button type="submit" class="primary" disabled={act.busy || blocked !== undefined}>
          {submit}
        </button>
        {others}
      </div>
      <Result act={act} needs={needs} />
    </form>
  )
}

export function Result({ act, needs }: { readonly act: Act; readonly needs?: string | undefined }) {
  return (
    <>
      <p role="status" class="done">
        {act.busy ? formWords.busy : act.done}
      </p>
      <Problem failure={act.failure} needs={needs} isWrite />
    </>
  )
}

export interface ConfirmProps {
  readonly label: string
  /** What will happen, and that it cannot be undone. */
  readonly question: string
  readonly busy: boolean
  act(): void
  /** What the operator reads or fills in before the answer. */
  readonly children?: ComponentChildren
}

/** A button that asks once more, in its place, before it does what cannot be undone. */
export function Confirm({ label, question, busy, act, children }: ConfirmProps) {
  const [asking, setAsking] = useState(false)
  if (!asking) {
    return (
      <button type="button" class="danger" disabled={busy} onClick={() => setAsking(true)}>
        {label}
      </button>
    )
  }
  const confirm = (): void => {
    setAsking(false)
    act()
  }
  return (
    <div class="confirm">
      <span>{question}</span> {children}
      <button type="button" class="danger" ref={focused} disabled={busy} onClick={confirm}>
        {formWords.yes(label)}
      </button>{' '}
      <button type="button" onClick={() => setAsking(false)}>
        {formWords.no}
      </button>
    </div>
  )
}

function focused(button: HTMLButtonElement | null): void {
  button?.focus()
}
