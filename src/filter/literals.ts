import { type GoEscape, goEscapeAt } from '../base/go-escapes.ts'
import { FilterError } from './problem.ts'

/** The value of a string in backticks: everything between them, without carriage returns, as in Go. */
export function rawValue(source: string): string {
  return source.slice(1, -1).replaceAll('\r', '')
}

/** Escapes of Go that name single bytes. Strings are text here, so they take ASCII alone. */
const byteEscape = /^\\[x0-7]/
const asciiMax = '\x7f'

/** The value of a string in double quotes, with the escapes of Go. `offset`: its place in the filter. */
export function quotedValue(source: string, offset: number): string {
  let value = ''
  for (let at = 1; at < source.length - 1; ) {
    const character = source.charAt(at)
    if (character === '\n') throw new FilterError(offset + at, 'a string in double quotes ends before its line does')
    if (character !== '\\') {
      value += character
      at++
      continue
    }
    const { text, length } = escapeAt(source, at, offset)
    value += text
    at += length
  }
  return value
}

function escapeAt(source: string, at: number, offset: number): GoEscape {
  const found = goEscapeAt(source, at)
  if (found === undefined || (byteEscape.test(source.slice(at, at + 2)) && found.text > asciiMax)) {
    throw new FilterError(offset + at, 'unknown escape; use \\n, \\t, \\", \\\\, \\u00e9, or a string in backticks')
  }
  return found
}
