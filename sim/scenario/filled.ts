import { savedName, type Template } from '../notation/fields.ts'
import { partOf } from './answers.ts'
import type { RunContext } from './run-context.ts'

/** The text with every `${name}` and `${name.part}` replaced by its saved value. */
export function filled(run: RunContext, template: Template): string {
  return template.filled((reference) => {
    const name = savedName(reference)
    const nodes = run.saved.get(name)
    if (nodes !== undefined) return nodes.join(', ')
    const answer = run.driver.answers.get(name)
    const part = reference.slice(name.length + 1) || 'body'
    return answer === undefined ? '' : (partOf(answer, part) ?? '')
  })
}
