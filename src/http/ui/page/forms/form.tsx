import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
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
  /** The entry has changed since the form was filled in. The form is sent after the operator has chosen one of the two. */
  readonly isOutdated?: boolean
  /** Asked once more before it is sent. */
  readonly question?: string | undefined
  send(): void
  /** Further buttons. */
  readonly others?: ComponentChildren
  readonly children: ComponentChildren
}

/** A form with its button, and below it what became of it. The agent's refusal is shown in the agent's words. */
export function Form({ title, act, needs, submit, send, others, question, children, ...more }: FormProps) {
  const blocked = more.isOutdated === true ? formWords.decideFirst : more.blocked
  // The question that is shown. Another one, such as about a lock that was taken meanwhile, is asked anew.
  const [asked, setAsked] = useState<string>()
  const isAsking = question !== undefined && asked === question
  const submitted = (event: Event): void => {
    event.preventDefault()
    if (act.busy || blocked !== undefined) return
    if (question !== undefined && !isAsking) return setAsked(question)
    setAsked(undefined)
    send()
  }
  // What was done is no statement about what is typed since.
  const typedOn = (): void => {
    setAsked(undefined)
    if (act.done !== '') act.clear()
  }
  const isOff = act.busy || blocked !== undefined
  return (
    <form class="form" aria-label={title} onSubmit={submitted} onInput={typedOn}>
      <h2>{title}</h2>
      <div class="fields">{children}</div>
      {blocked !== undefined && <p class="blocked">{blocked}</p>}
      <div class="actions">
        {isAsking ? (
          <Answers question={question} label={submit} isOff={isOff} no={() => setAsked(undefined)} />
        ) : (
          <button type="submit" class="primary" disabled={isOff}>
            {submit}
          </button>
        )}
        {others}
      </div>
      <Result act={act} needs={needs} />
    </form>
  )
}

interface AnswersProps {
  readonly question: string
  readonly label: string
  readonly isOff: boolean
  /** Undefined: the answer yes submits the form. */
  yes?(): void
  no(): void
}

/** A question with its answers. The focus goes to the first, so that a reader hears both. */
function Answers({ question, label, isOff, yes, no, children }: AnswersProps & { children?: ComponentChildren }) {
  const id = useId()
  return (
    <div class="confirm">
      <span id={id}>{question}</span> {children}
      <button
        type={yes === undefined ? 'submit' : 'button'}
        class="danger"
        ref={focused}
        aria-describedby={id}
        disabled={isOff}
        onClick={yes}
      >
        {formWords.yes(label)}
      </button>{' '}
      <button type="button" onClick={no}>
        {formWords.no}
      </button>
    </div>
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
    <Answers question={question} label={label} isOff={busy} yes={confirm} no={() => setAsking(false)}>
      {children}
    </Answers>
  )
}

function focused(button: HTMLButtonElement | null): void {
  button?.focus()
}
