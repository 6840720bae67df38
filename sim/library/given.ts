import { parseDuration } from '../../src/base/duration.ts'
import { type TypeName, typeCodes } from '../../src/dns-wire/message.ts'
import { isName } from '../../src/dns-wire/names.ts'

/** A time span: milliseconds, or `300ms`, `2s`, `72h`. */
export type Span = number | string

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Why an action or a step that a test gave is none. */
export function problemsText(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean).join(': ')).join('; ')
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
