import { textOf } from './bytes.ts'
import { err, ok, type Result } from './result.ts'

/** JSON as it comes from outside: members keep their order and never become members of an object of ours. */
export type JsonInput =
  | null
  | boolean
  | number
  /** An integer that a double cannot hold. */
  | bigint
  | string
  | readonly JsonInput[]
  | ReadonlyMap<string, JsonInput>

/** Characters of a name that are shown where there is too much of something. */
const shownKeyMax = 64

/** Lists and objects within each other; more are refused, for the reader recurses. */
const depthMax = 64

/**
 * Digits of one number; the greatest double has 309 before its point. To read a number takes the square of its length.
 */
const digitsMax = 1_024

/** How much a text may hold. Nothing beyond it is read. */
export interface JsonBounds {
  /** Values of any kind, in all. */
  readonly values: number
  /** Members of one object, items of one list. */
  readonly members: number
}

/** `tooMany`: a limit was exceeded. Otherwise the text is not JSON. */
export interface JsonFault {
  readonly kind: 'tooMany' | 'malformed'
  readonly message: string
}

const unbounded: JsonBounds = { values: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY }

/**
 * Reads the first JSON value of a text, as servers of the field do: what follows it is not looked at. The error is the
 * clause that their clients know: `EOF`, `unexpected EOF`, `invalid character 'x' looking for beginning of value`.
 */
export function parseJsonInput(bytes: Uint8Array): Result<JsonInput, string> {
  const parsed = parseBoundedJson(bytes, unbounded)
  return parsed.ok ? parsed : err(parsed.error.message)
}

/**
 * The same of a text that is not trusted with the time that it takes. What is beyond a bound is named with its place.
 */
export function parseBoundedJson(bytes: Uint8Array, bounds: JsonBounds): Result<JsonInput, JsonFault> {
  const reader = new JsonReader(textOf(bytes), bounds)
  const value = reader.document()
  return reader.fault === undefined ? ok(value) : err({ kind: reader.kind, message: reader.fault })
}

/** What may follow a backslash. */
const escapeLetters = '"\\/bfnrtu'
const quote = 0x22
const backslash = 0x5c

const words: readonly (readonly [word: string, value: JsonInput])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** Goes over the text once. After the first fault nothing more is read, and what was returned means nothing. */
class JsonReader {
  readonly #text: string
  readonly #bounds: JsonBounds
  #at = 0
  #depth = 0
  #values = 0
  #fault: string | undefined
  /** The limit that was exceeded; its place is determined on the way out, from the innermost step. */
  #tooMany: string | undefined
  readonly #steps: string[] = []

  constructor(text: string, bounds: JsonBounds) {
    this.#text = text
    this.#bounds = bounds
  }

  get kind(): JsonFault['kind'] {
    return this.#tooMany === undefined ? 'malformed' : 'tooMany'
  }

  get fault(): string | undefined {
    if (this.#tooMany === undefined) return this.#fault
    const place = this.#steps.toReversed().join('').replace(/^\./, '')
    return `${place === '' ? 'the body' : `'${place}'`} ${this.#tooMany}`
  }

  document(): JsonInput {
    this.#skipSpace()
    if (this.#at === this.#text.length) return this.#fail('EOF')
    return this.#value()
  }

  #value(): JsonInput {
    if (++this.#values > this.#bounds.values) {
      return this.#exceed(`goes beyond the ${this.#bounds.values} values that a body may hold`)
    }
    this.#skipSpace()
    const first = this.#text.charAt(this.#at)
    if (first === '{') return this.#nested(() => this.#object())
    if (first === '[') return this.#nested(() => this.#list())
    if (first === '"') return this.#string()
    if (first === '-' || isDigit(first)) return this.#number()
    const word = words.find(([text]) => text.startsWith(first))
    return first === '' || word === undefined ? this.#unexpected('looking for beginning of value') : this.#word(word)
  }

  #nested(read: () => JsonInput): JsonInput {
    if (this.#depth >= depthMax) return this.#fail(`nested deeper than ${depthMax}`)
    this.#depth++
    this.#at++
    const value = read()
    this.#depth--
    return value
  }

  #object(): JsonInput {
    const members = new Map<string, JsonInput>()
    this.#skipSpace()
    if (this.#take('}')) return members
    for (let count = 1; ; count++) {
      if (count > this.#bounds.members) return this.#exceed(`has more than ${this.#bounds.members} members`)
      this.#skipSpace()
      if (this.#text.charAt(this.#at) !== '"') return this.#unexpected('looking for beginning of object key string')
      const key = this.#string()
      this.#skipSpace()
      if (this.#fault === undefined && !this.#take(':')) return this.#unexpected('after object key')
      const value = this.#fault === undefined ? this.#value() : null
      if (this.#tooMany !== undefined) this.#steps.push(`.${key.slice(0, shownKeyMax)}`)
      members.set(key, value)
      this.#skipSpace()
      if (this.#fault !== undefined || this.#take('}')) return members
      if (!this.#take(',')) return this.#unexpected('after object key:value pair')
    }
  }

  #list(): JsonInput {
    const items: JsonInput[] = []
    this.#skipSpace()
    if (this.#take(']')) return items
    for (;;) {
      if (items.length >= this.#bounds.members) return this.#exceed(`has more than ${this.#bounds.members} items`)
      items.push(this.#value())
      if (this.#tooMany !== undefined) this.#steps.push(`[${items.length - 1}]`)
      this.#skipSpace()
      if (this.#fault !== undefined || this.#take(']')) return items
      if (!this.#take(',')) return this.#unexpected('after array element')
    }
  }

  #word([word, value]: readonly [string, JsonInput]): JsonInput {
    for (const letter of word) {
      if (!this.#take(letter)) return this.#unexpected(`in literal ${word} (expecting '${letter}')`)
    }
    return value
  }

  #number(): JsonInput {
    const from = this.#at
    this.#take('-')
    if (!this.#take('0') && !this.#digits()) return this.#unexpected('in numeric literal')
    let whole = true
    if (this.#take('.')) {
      whole = false
      if (!this.#digits()) return this.#unexpected('after decimal point in numeric literal')
    }
    if (this.#take('e') || this.#take('E')) {
      whole = false
      if (!this.#take('+')) this.#take('-')
      if (!this.#digits()) return this.#unexpected('in exponent of numeric literal')
    }
    if (this.#at - from > digitsMax) return this.#fail(`number of more than ${digitsMax} digits out of range`)
    const literal = this.#text.slice(from, this.#at)
    const value = Number(literal)
    if (whole && !Number.isSafeInteger(value)) return BigInt(literal)
    return Number.isFinite(value) ? value : this.#fail(`number ${literal} out of range`)
  }

  #digits(): boolean {
    const from = this.#at
    while (isDigit(this.#text.charAt(this.#at))) this.#at++
    return this.#at > from
  }

  #string(): string {
    const text = this.#text
    const from = this.#at
    const plainTo = plainEnd(text, from + 1)
    const isPlain = text.charCodeAt(plainTo) === quote
    const end = isPlain ? plainTo + 1 : stringEnd(text, plainTo)
    const read = isPlain ? text.slice(from + 1, plainTo) : unescaped(text.slice(from, end))
    // A malformed one is read step by step, for the words of its error.
    if (read === undefined) return this.#malformedString()
    this.#at = end
    return read
  }

  #malformedString(): string {
    this.#at++
    while (this.#fault === undefined) {
      this.#at = plainEnd(this.#text, this.#at)
      if (this.#take('\\')) this.#escape()
      else this.#unexpected('in string literal')
    }
    return ''
  }

  #escape(): void {
    const letter = this.#text.charAt(this.#at)
    if (letter === '' || !escapeLetters.includes(letter)) {
      this.#unexpected('in string escape code')
      return
    }
    this.#at++
    if (letter !== 'u') return
    const digits = /^[0-9a-fA-F]*/.exec(this.#text.slice(this.#at, this.#at + 4))?.[0] ?? ''
    this.#at += digits.length
    if (digits.length < 4) this.#unexpected('in \\u hexadecimal character escape')
  }

  #take(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false
    this.#at++
    return true
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text.charAt(this.#at) || '.')) this.#at++
  }

  #unexpected(where: string): null {
    const found = this.#text.codePointAt(this.#at)
    if (found === undefined) return this.#fail('unexpected EOF')
    return this.#fail(`invalid character ${quoted(String.fromCodePoint(found))} ${where}`)
  }

  #exceed(what: string): null {
    if (this.#fault === undefined) this.#tooMany = what
    return this.#fail(what)
  }

  /** Only the first error is reported. */
  #fail(why: string): null {
    this.#fault ??= why
    return null
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

/** The position of the first character from `at` on that is not plain; the length of the text if all are. */
function plainEnd(text: string, at: number): number {
  let next = at
  while (isPlain(text.charCodeAt(next))) next++
  return next
}

/** Neither a quote nor a backslash nor a control character, and not the end, whose code is not a number. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== quote && code !== backslash
}

/** The position after the quote that ends a string; the length of the text if none does. */
function stringEnd(text: string, at: number): number {
  let next = at
  while (next < text.length && text.charCodeAt(next) !== quote) next += text.charCodeAt(next) === backslash ? 2 : 1
  return Math.min(next + 1, text.length)
}

/** A string with its quotes, read by the engine: a long one takes a third of the time. Undefined: it is malformed. */
function unescaped(literal: string): string | undefined {
  try {
    const text = String(JSON.parse(literal))
    // The text was UTF-8: of half pairs only an escape can tell.
    return literal.includes('\\u') ? wellFormed(text) : text
  } catch {
    return undefined
  }
}

/** Half a pair of surrogates, which an escape can spell, is no text. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

function quoted(character: string): string {
  if (character === "'") return "'\\''"
  return character === '"' ? "'\"'" : `'${JSON.stringify(character).slice(1, -1)}'`
}
