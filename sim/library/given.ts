import { parseDuration } from '../../src/base/duration.ts'
import { nearest } from '../../src/base/edit-distance.ts'
import { type TypeName, typeCodes } from '../../src/dns-wire/message.ts'
import { isName } from '../../src/dns-wire/names.ts'

/** A time span: milliseconds, or `300ms`, `2s`, `72h`. */
export type Span = number | string

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
}

/** What is wrong with a test's action or step, in one line. `known`: the keys that are allowed in it. */
export function problemsText(issues: readonly Issue[], known: readonly string[]): string {
  // A misspelt key is one mistake: that nothing is left to do is no other.
  const misspelt = issues.flatMap(({ code, path, keys = [] }) =>
    code === 'unrecognized_keys' && path.length === 0 ? keys : [],
  )
  if (misspelt.length > 0) return misspelt.map((key) => unknownKeyText(key, known)).join('; ')
  return issues.map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean).join(': ')).join('; ')
}

function unknownKeyText(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return `unknown key '${key}'${meant === undefined ? ': docs/scenarios.md has them' : `: did you mean '${meant}'?`}`
}

/** An agent's name as a test gives it: `c.leader` is undefined while there is no leader. */
export function nameGiven(call: string, node: string | undefined): string {
  if (node !== undefined) return node
  throw new Error(`${call}: the name of the agent is undefined, as c.leader is while there is no leader`)
}

const noAnswerWords: Readonly<Record<string, string>> = {
  refused: 'the connection is refused: no agent runs there, or it is still starting',
  broken: 'the connection broke before the answer came',
  timeout: 'no answer came in time',
}

/** Why an agent gave no answer, in words. */
export function noAnswerText(node: string, why: string): string {
  return `${node}: ${noAnswerWords[why] ?? why}`
}

/** The types of DNS questions. OPT is not one of them: it gives the maximum size of the asker's datagrams. */
const askedTypes = Object.keys(typeCodes).filter((type) => type !== 'OPT')

/** Checked here, because on its machine of the simulated world the asker is a program that must not fail. */
export function questionOf(name: string, type: string): { readonly name: string; readonly type: TypeName } {
  if (!askedTypes.includes(type)) throw new Error(`'${type}' is no type of a question: write ${askedTypes.join(', ')}`)
  const absolute = typeof name === 'string' && name.endsWith('.') ? name : `${name}.`
  if (typeof name === 'string' && name !== '' && isName(absolute)) return { name: absolute, type: type as TypeName }
  throw new Error(`'${name}' is no name that DNS can ask for: its labels have 1 to 63 bytes, and all of it at most 253`)
}

/** Keeps the sum of all spans of a test far below the limit of microseconds. */
const spanMaxMs = 20 * 365 * 86_400_000

/** The span in milliseconds. */
export function spanMs(span: Span): number {
  const parsed = typeof span === 'string' ? parseDuration(span) : undefined
  const ms = typeof span === 'number' ? span : parsed?.ok === true ? parsed.value : Number.NaN
  if (ms >= 0 && ms <= spanMaxMs) return ms
  throw new Error(`'${span}' is no time span: write milliseconds, 300ms, 2s or 72h; at most 20 years`)
}
