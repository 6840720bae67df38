import type { Answer } from '../api/failure.ts'
import { commandLine, withOperands } from '../explain/command-line.ts'
import { decisionLine, type Explanation, questionOf } from '../explain/rights.ts'
import { useCaller } from '../live/context.ts'
import { useOfCaller } from '../live/use-of-caller.ts'
import { failureWords } from '../words/shell-words.ts'
import { Command } from './command.tsx'

/** A button that asks the servers whether the token has a right, and which rule decides. `right`: `key:write app/a`. */
export function Explained({ right, accessor = '' }: { readonly right: string; readonly accessor?: string }) {
  const { client } = useCaller()
  const [answer, setAnswer] = useOfCaller<Answer<Explanation>>()
  const { resource, access, name } = questionOf(right)
  const ask = async (): Promise<void> => {
    const query = { resource, right: access, name, ...(accessor === '' ? {} : { accessor }) }
    setAnswer(await client.ask<Explanation>({ path: '/v1/acl/explain', query }))
  }
  const of = accessor === '' ? [] : [`-accessor=${accessor}`]
  const named = name === '' ? [] : [name]
  return (
    <div class="explained">
      <button type="button" onClick={() => void ask()}>
        {failureWords.why}
      </button>
      <output>
        {answer?.ok === true && decisionLine(answer.value)}
        {answer?.ok === false && 'text' in answer.failure && answer.failure.text}
      </output>
      <Command line={withOperands(commandLine('acl explain', ...of), `${resource}:${access}`, ...named)} />
    </div>
  )
}
