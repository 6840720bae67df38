import { quotedValue, rawValue } from './literals.ts'
import { FilterError } from './problem.ts'

/** `word`: an operator or a part of a selector. `text`: a quoted string. `sign`: `==`, `!=`, `(`, `)`, `[`, `]`, `.`. */
type TokenKind = 'word' | 'number' | 'text' | 'sign' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** Its start, in UTF-16 units. */
  readonly offset: number
  /** The text as written. */
  readonly source: string
  /** What a string means; the text as written of every other token. */
  readonly value: string
  /** Whether whitespace precedes it: the parts of a selector stand without. */
  readonly isApart: boolean
}

const space = /[ \t\r\n]*/y
const word = /[A-Za-z][A-Za-z0-9_]*/y
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/y
/** Characters that cannot follow a number: `007`, `1.2.3` and `80http` are strings without their quotes. */
const numberGoesOn = /[A-Za-z0-9_.]/y
const sign = /==|!=|[()[\].]/y
const quoted = /"(?:[^"\\]|\\.)*"/sy
const raw = /`[^`]*`/y

/** Splits a filter into tokens, with one of kind `end` behind the last. Throws FilterError. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; ; ) {
    const start = at + (matchAt(space, text, at)?.length ?? 0)
    const token = tokenAt(text, start, start > at || at === 0)
    tokens.push(token)
    if (token.kind === 'end') return tokens
    at = start + token.source.length
  }
}

function tokenAt(text: string, offset: number, isApart: boolean): Token {
  if (offset === text.length) return { kind: 'end', offset, source: '', value: '', isApart }
  const first = text.charAt(offset)
  if (first === '"' || first === '`') return stringAt(text, offset, isApart)
  for (const [kind, pattern] of plainTokens) {
    const source = matchAt(pattern, text, offset)
    if (source === undefined) continue
    if (kind === 'number' && matchAt(numberGoesOn, text, offset + source.length) !== undefined) {
      throw new FilterError(offset, 'this number is malformed; a string such as "1.2.3" or "007" needs quotes')
    }
    return { kind, offset, source, value: source, isApart }
  }
  throw new FilterError(offset, unexpected(text, offset))
}

const plainTokens: readonly (readonly [TokenKind, RegExp])[] = [
  ['word', word],
  ['number', number],
  ['sign', sign],
]

function stringAt(text: string, offset: number, isApart: boolean): Token {
  const isRaw = text.charAt(offset) === '`'
  const source = matchAt(isRaw ? raw : quoted, text, offset)
  if (source === undefined) {
    throw new FilterError(offset, `the string that begins here has no closing ${isRaw ? 'backtick' : 'quote'}`)
  }
  const value = isRaw ? rawValue(source) : quotedValue(source, offset)
  return { kind: 'text', offset, source, value, isApart }
}

function unexpected(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  if (character === '=') return 'a single "=" is no operator; equality is "=="'
  if (character === "'") return 'strings stand in double quotes or backticks, not in single quotes'
  if (character === '-')
    return 'unexpected "-"; a map key with this character is written ["the-key"], a value "the-value"'
  return `unexpected character ${JSON.stringify(character)}`
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
