import { textOf } from './bytes.ts'
import { isList } from './shape.ts'

/**
 * A value that JSON can represent, with integers of any size: a bigint is written as a plain number, digit for digit.
 */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/**
 * Writes JSON as the field's servers do: `<`, `>`, `&`, U+2028 and U+2029 escaped, no trailing newline; `pretty`
 * indents by four spaces and ends with a newline. A member that is undefined is left out.
 */
export function writeJson(value: Json, pretty = false): string {
  return pretty ? `${written(value, '\n')}\n` : written(value, '')
}

function written(value: Json, newline: string): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return writtenText(value)
  if (typeof value !== 'object') return String(value)
  return isList(value) ? writtenList(value, newline) : writtenObject(value, newline)
}

function writtenList(items: readonly Json[], newline: string): string {
  if (items.length === 0) return '[]'
  const inner = newline === '' ? '' : `${newline}    `
  let out = ''
  for (const item of items) out += `${out === '' ? '[' : ','}${inner}${written(item, inner)}`
  return `${out}${newline}]`
}

function writtenObject(value: { readonly [key: string]: Json | undefined }, newline: string): string {
  const inner = newline === '' ? '' : `${newline}    `
  const colon = newline === '' ? ':' : ': '
  let out = ''
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== undefined) {
      out += `${out === '' ? '{' : ','}${inner}${writtenText(key)}${colon}${written(member, inner)}`
    }
  }
  return out === '' ? '{}' : `${out}${newline}}`
}

/** Longer texts are written by the engine, which is faster at them. */
const plainLengthMax = 64

/** Most names and values are short and have nothing to escape. */
function isPlain(text: string): boolean {
  if (text.length > plainLengthMax) return false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // Control characters, and those beyond ASCII; then " & < > and the backslash.
    if (unit < 0x20 || unit > 0x7e) return false
    if (unit === 0x22 || unit === 0x26 || unit === 0x3c || unit === 0x3e || unit === 0x5c) return false
  }
  return true
}

function writtenText(text: string): string {
  if (isPlain(text)) return `"${text}"`
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The value of a JSON text in UTF-8; undefined if it is no JSON. The caller checks its shape. */
export function jsonOrUndefined(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/**
 * Maximum nesting of lists and objects in a file of an operator: parsers of files recurse, and the stack is limited.
 */
const fileDepthMax = 64

/**
 * Offset of the first bracket of a JSON text that is nested too deep for a parser that recurses; undefined: none is.
 */
export function tooDeepAt(text: string): number | undefined {
  let depth = 0
  // A string that is not closed ends with the text: otherwise, each of its quotes would be looked at as a beginning.
  for (const { 0: piece, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}]/gs)) {
    if (piece === '[' || piece === '{') depth++
    else if (piece === ']' || piece === '}') depth--
    if (depth > fileDepthMax) return index
  }
  return undefined
}
