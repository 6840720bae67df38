import { type EditedValue, jsonCheck } from '../../explain/value.ts'
import { keyWords as words } from '../../words/key-words.ts'

/**
 * What the operator is asked before a key is saved; undefined: nothing. `holder`: the session that holds it, in words.
 * `before`: the value that is written over.
 */
export function saveQuestion(holder: string | undefined, before: EditedValue, after: EditedValue): string | undefined {
  const held = holder === undefined ? [] : [words.saveHeld(holder)]
  const lost = isJson(before) && !isJson(after) ? [words.saveNoJson] : []
  const all = [...held, ...lost]
  return all.length === 0 ? undefined : all.join(' ')
}

export function removeQuestion(key: string, holder: string | undefined): string {
  return holder === undefined ? words.removeQuestion(key) : words.removeHeld(key, holder)
}

function isJson({ form, text }: EditedValue): boolean {
  return form === 'text' && jsonCheck(text).kind === 'json'
}
