import { useEffect, useState } from 'preact/hooks'
import { TextField } from '../../forms/fields.tsx'
import { serviceWords as words } from '../../words/service-words.ts'

/** A filter expression is sent when it is complete: half of one is a mistake to the agent. */
export function ExpressionField({ value, set }: { readonly value: string; set(value: string): void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const submitted = (event: Event): void => {
    event.preventDefault()
    set(typed.trim())
  }
  return (
    <form class="expression" onSubmit={submitted}>
      <TextField label={words.expression} hint={words.expressionHint} value={typed} set={setTyped} />
    </form>
  )
}
