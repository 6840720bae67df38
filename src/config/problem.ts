import { errorsIn } from '../model/several-errors.ts'

/** One thing wrong with the configuration: where, what, and what to do. */
export interface ConfigProblem {
  /** `-flag`, or `file:line:column`. */
  readonly place: string
  /** May end with a list of errors, as texts of the HTTP API do. */
  readonly message: string
  readonly remedy: string
  /**
   * For a problem of the whole: the keys that it depends on, with dots; `ports.*` means every key within `ports`. If
   * one of them could not be read, the problem may not exist.
   */
  readonly restsOn?: readonly string[]
}

/** One line, whatever characters a file or a name in it contains: for logs and programs. */
export function problemText({ place, message, remedy }: ConfigProblem): string {
  const listed = errorsIn(message)
  if (listed === undefined) return joined(place, message, remedy)
  const { heading, errors } = listed
  const space = heading === '' || heading.endsWith(' ') ? '' : ' '
  return joined(place, `${heading}${space}${errors.join('; ')}`, remedy)
}

/** The same for a terminal: several errors have a line each, and so has the remedy then. */
export function problemLines(problem: ConfigProblem): string {
  const { place, message, remedy } = problem
  const listed = errorsIn(message)
  if (listed === undefined || listed.errors.length === 1) return problemText(problem)
  const items = [...listed.errors.map((error) => `* ${error}`), remedy].filter((line) => line !== '')
  return [joined(place, listed.heading), ...items.map((item) => `    ${onOneLine(item)}`)].join('\n')
}

function joined(...parts: readonly string[]): string {
  const said = parts.filter((part) => part !== '')
  return said.map(onOneLine).join(': ')
}

function onOneLine(text: string): string {
  return text.replace(controls, (character) => JSON.stringify(character).slice(1, -1))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u001f\u007f]/g

/**
 * Whether a problem of the whole may only follow from an unreadable key: `missing` lists these, with dots. Such a
 * problem is not reported, because it may vanish once the key is corrected.
 */
export function followsFrom(missing: readonly string[], { restsOn = [] }: ConfigProblem): boolean {
  return missing.some((key) => restsOn.some((judged) => isWithin(key, judged)))
}

/** The key itself, a block around it that could not be read, or with `.*` any key within the block. */
function isWithin(key: string, judged: string): boolean {
  if (judged.endsWith('.*')) return key.startsWith(judged.slice(0, -1))
  return judged === key || judged.startsWith(`${key}.`)
}
