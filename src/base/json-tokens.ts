type Scalar = null | boolean | number | bigint | string

/**
 * Maximum number of digits of one number: the greatest double has 309 before its point, and reading takes the square of
 * the length.
 */
const digitsMax = 1_024

/** The characters that may follow a backslash. */
const escapeLetters = '"\\/bfnrtu'
const quote = 0x22
const backslash = 0x5c

const words: readonly (readonly [word: string, value: boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** Reads a text of JSON token by token. After the first fault, what is returned means nothing. */
export class JsonTokens {
  readonly #text: string
  #at = 0
  /** The first fault, in the field's words. */
  fault: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** The character at the present position; empty at the end. */
  get next(): string {
    return this.#text.charAt(this.#at)
  }

  /** Moves past the character at the present position. */
  pass(): void {
    this.#at++
  }

  /** A value that is neither a list nor an object. */
  scalar(): Scalar {
    const first = this.next
    if (first === '"') return this.string()
    if (first === '-' || isDigit(first)) return this.#number()
    const word = words.find(([text]) => text.startsWith(first))
    return first === '' || word === undefined ? this.unexpected('looking for beginning of value') : this.#word(word)
  }

  #word([word, value]: readonly [string, boolean | null]): Scalar {
    for (const letter of word) {
      if (!this.take(letter)) return this.unexpected(`in literal ${word} (expecting '${letter}')`)
    }
    return value
  }

  #number(): Scalar {
    const from = this.#at
    this.take('-')
    if (!this.take('0') && !this.#digits()) return this.unexpected('in numeric literal')
    let whole = true
    if (this.take('.')) {
      whole = false
      if (!this.#digits()) return this.unexpected('after decimal point in numeric literal')
    }
    if (this.take('e') || this.take('E')) {
      whole = false
      if (!this.take('+')) this.take('-')
      if (!this.#digits()) return this.unexpected('in exponent of numeric literal')
    }
    if (this.#at - from > digitsMax) return this.fail(`number of more than ${digitsMax} digits out of range`)
    const literal = this.#text.slice(from, this.#at)
    const value = Number(literal)
    if (whole && !Number.isSafeInteger(value)) return BigInt(literal)
    return Number.isFinite(value) ? value : this.fail(`number ${literal} out of range`)
  }

  #digits(): boolean {
    const from = this.#at
    while (isDigit(this.#text.charAt(this.#at))) this.#at++
    return this.#at > from
  }

  /** A string, from its opening quote on. */
  string(): string {
    const text = this.#text
    const from = this.#at
    const plainTo = plainEnd(text, from + 1)
    const isPlain = text.charCodeAt(plainTo) === quote
    const end = isPlain ? plainTo + 1 : stringEnd(text, plainTo)
    const read = isPlain ? text.slice(from + 1, plainTo) : unescaped(text.slice(from, end))
    // A malformed string is read step by step, to give the field's error.
    if (read === undefined) return this.#malformedString()
    this.#at = end
    return read
  }

  #malformedString(): string {
    this.#at++
    while (this.fault === undefined) {
      this.#at = plainEnd(this.#text, this.#at)
      if (this.take('\\')) this.#escape()
      else this.unexpected('in string literal')
    }
    return ''
  }

  #escape(): void {
    const letter = this.#text.charAt(this.#at)
    if (letter === '' || !escapeLetters.includes(letter)) {
      this.unexpected('in string escape code')
      return
    }
    this.#at++
    if (letter !== 'u') return
    const digits = /^[0-9a-fA-F]*/.exec(this.#text.slice(this.#at, this.#at + 4))?.[0] ?? ''
    this.#at += digits.length
    if (digits.length < 4) this.unexpected('in \\u hexadecimal character escape')
  }

  take(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false
    this.#at++
    return true
  }

  skipSpace(): void {
    while (' \t\r\n'.includes(this.#text.charAt(this.#at) || '.')) this.#at++
  }

  /** Fails with the clause that clients of the field know for a character that cannot stand here. */
  unexpected(where: string): null {
    const found = this.#text.codePointAt(this.#at)
    if (found === undefined) return this.fail('unexpected EOF')
    return this.fail(`invalid character ${quoted(String.fromCodePoint(found))} ${where}`)
  }

  /** Only the first error is reported. */
  fail(why: string): null {
    this.fault ??= why
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
    // The text was UTF-8, so only an escape can stand for an unpaired surrogate.
    return literal.includes('\\u') ? wellFormed(text) : text
  } catch {
    return undefined
  }
}

/** An unpaired surrogate, which an escape can spell, is no text. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

function quoted(character: string): string {
  if (character === "'") return "'\\''"
  return character === '"' ? "'\"'" : `'${JSON.stringify(character).slice(1, -1)}'`
}
