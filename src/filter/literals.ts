import { FilterError } from './problem.ts'

/** The value of a string in backticks: everything between them, without carriage returns, as in Go. */
export function rawValue(source: string): string {
  return source.slice(1, -1).replaceAll('\r', '')
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['"', '"'],
])

/** Escapes that name a character by its code point. Those of Go that name single bytes take ASCII alone here. */
const codes = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-7][0-9a-fA-F])|([01][0-7]{2}))/y

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
    const simple = simpleEscapes.get(source.charAt(at + 1))
    const { text, length } = simple === undefined ? codeAt(source, at, offset) : { text: simple, length: 2 }
    value += text
    at += length
  }
  return value
}

function codeAt(source: string, at: number, offset: number): { readonly text: string; readonly length: number } {
  codes.lastIndex = at
  const match = codes.exec(source)
  const [whole = '', short, long, byte, octal] = match ?? []
  const digits = short ?? long ?? byte
  const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16)
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  if (match === null || code > 0x10ffff || isSurrogate) {
    throw new FilterError(offset + at, 'unknown escape; use \\n, \\t, \\", \\\\, \\u00e9, or a string in backticks')
  }
  return { text: String.fromCodePoint(code), length: whole.length }
}
