import { exampleRules } from '../../words/access-words.ts'

/** The rules of an example for what has this name; undefined: there is no such example. */
export function rulesFor(example: string, name: string): string | undefined {
  return exampleRules.get(example)?.replaceAll('NAME', name === '' ? 'NAME' : name)
}

/** The rules once another name is typed: those of the example follow it, and those that the operator wrote stay. */
export function rulesRenamed(example: string, rules: string, before: string, name: string): string {
  return rules === rulesFor(example, before) ? (rulesFor(example, name) ?? rules) : rules
}
