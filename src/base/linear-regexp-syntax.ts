import { err, ok, type Result } from './result.ts'

export type Expression =
  | { readonly kind: 'set'; has(point: number): boolean }
  | { readonly kind: 'assert'; holds(points: readonly number[], at: number): boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly parts: readonly Expression[] }
  /** `most` undefined: without end. */
  | { readonly kind: 'repeat'; readonly part: Expression; readonly least: number; readonly most: number | undefined }

/** Longer ones are refused, and so are parentheses within parentheses beyond this. */
const lengthMax = 1_024
const depthMax = 100
/** RE2 refuses more. */
const repeatMax = 1_000

export function parse(expression: string): Result<Expression, string> {
  if (expression.length > lengthMax) return err(problem('expression is too large', ''))
  const parser = new Parser(expression)
  const parsed = parser.choice(0)
  if (parser.problem === undefined && !parser.atEnd) parser.fail('unexpected )', expression)
  return parser.problem === undefined ? ok(parsed) : err(parser.problem)
}

function problem(what: string, where: string): string {
  return `error parsing regexp: ${what}: \`${where}\``
}

const nothing: Expression = { kind: 'sequence', parts: [] }
type Has = (point: number) => boolean

/** Reads on after a problem as if nothing were left, so that every method can end. */
class Parser {
  problem: string | undefined
  readonly #text: string
  #at = 0
  #ignoresCase = false
  #manyLines = false
  #dotTakesAll = false

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  fail(what: string, where: string): Expression {
    this.problem ??= problem(what, where)
    this.#at = this.#text.length
    return nothing
  }

  choice(depth: number): Expression {
    if (depth > depthMax) return this.fail('expression nests too deeply', this.#text)
    const parts = [this.#sequence(depth)]
    while (this.#take('|')) parts.push(this.#sequence(depth))
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'choice', parts }
  }

  #sequence(depth: number): Expression {
    const parts: Expression[] = []
    while (!this.atEnd && this.#peek() !== '|' && this.#peek() !== ')') parts.push(this.#repeated(depth))
    return { kind: 'sequence', parts }
  }

  #repeated(depth: number): Expression {
    const start = this.#at
    const first = this.#peek()
    if (first === '*' || first === '+' || first === '?') {
      return this.fail('missing argument to repetition operator', first)
    }
    let part = this.#atom(depth)
    for (let times = 0; ; times++) {
      const begin = this.#at
      const bounds = this.#bounds()
      if (bounds === undefined) return part
      this.#take('?')
      if (times > 0) return this.fail('invalid nested repetition operator', this.#text.slice(begin - 1, this.#at))
      const { least, most } = bounds
      if (least > repeatMax || (most ?? 0) > repeatMax || (most !== undefined && most < least)) {
        return this.fail('invalid repeat count', this.#text.slice(start + (this.#at - begin), this.#at))
      }
      part = { kind: 'repeat', part, least, most }
    }
  }

  #bounds(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take('*')) return { least: 0, most: undefined }
    if (this.#take('+')) return { least: 1, most: undefined }
    if (this.#take('?')) return { least: 0, most: 1 }
    const found = /^\{(\d{1,6})(,(\d{1,6})?)?\}/.exec(this.#text.slice(this.#at))
    if (found === null) return undefined
    this.#at += found[0].length
    const least = Number(found[1])
    if (found[2] === undefined) return { least, most: least }
    return { least, most: found[3] === undefined ? undefined : Number(found[3]) }
  }

  #atom(depth: number): Expression {
    const character = this.#next()
    switch (character) {
      case '(':
        return this.#group(depth)
      case '[':
        return this.#class()
      case '.':
        return set(this.#dotTakesAll ? () => true : (point) => point !== 0x0a)
      case '^':
        return assertion(this.#manyLines ? atLineStart : (_, at) => at === 0)
      case '$':
        return assertion(this.#manyLines ? atLineEnd : (points, at) => at === points.length)
      case '\\':
        return this.#escape()
      default:
        return this.#literal(character.codePointAt(0) as number)
    }
  }

  #group(depth: number): Expression {
    const kept = [this.#ignoresCase, this.#manyLines, this.#dotTakesAll] as const
    const open = this.#at - 1
    if (this.#take('?')) {
      const head = /^(?:([imsU]*)(?:-([imsU]+))?([:)])|P?<\w+>)/.exec(this.#text.slice(this.#at))
      if (head === null) return this.fail('invalid or unsupported Perl syntax', this.#text.slice(open, this.#at + 1))
      this.#at += head[0].length
      this.#setFlags(head[1] ?? '', true)
      this.#setFlags(head[2] ?? '', false)
      // Flags alone: they hold for the rest of the group around it.
      if (head[3] === ')') return nothing
    }
    const inner = this.choice(depth + 1)
    ;[this.#ignoresCase, this.#manyLines, this.#dotTakesAll] = kept
    return this.#take(')') ? inner : this.fail('missing closing )', this.#text)
  }

  #setFlags(flags: string, to: boolean): void {
    if (flags.includes('i')) this.#ignoresCase = to
    if (flags.includes('m')) this.#manyLines = to
    if (flags.includes('s')) this.#dotTakesAll = to
  }

  #class(): Expression {
    const open = this.#at - 1
    const isNegated = this.#take('^')
    const parts: Has[] = []
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.atEnd) return this.fail('missing closing ]', this.#text.slice(open))
      const part = this.#classPart()
      if (part === undefined) return nothing
      parts.push(part)
    }
    this.#at++
    const has: Has = this.#folded((point) => parts.some((part) => part(point)))
    return set(isNegated ? (point) => !has(point) : has)
  }

  /** One character, a range, or a class within a class; undefined after a problem. */
  #classPart(): Has | undefined {
    const named = /^\[:(\^?)(\w+):\]/.exec(this.#text.slice(this.#at))
    if (named !== null) {
      const has = namedClasses.get(named[2] ?? '')
      if (has === undefined) return this.#noClass(named[0])
      this.#at += named[0].length
      return named[1] === '^' ? (point) => !has(point) : has
    }
    const start = this.#at
    const from = this.#classPoint()
    if (typeof from === 'function' || from === undefined) return from
    if (this.#peek() !== '-' || this.#text[this.#at + 1] === ']' || this.#at + 1 >= this.#text.length) {
      return (point) => point === from
    }
    this.#at++
    const to = this.#classPoint()
    if (typeof to === 'function' || to === undefined || to < from) {
      return this.#noClass(this.#text.slice(start, this.#at))
    }
    return (point) => point >= from && point <= to
  }

  #noClass(where: string): undefined {
    this.fail('invalid character class range', where)
    return undefined
  }

  #classPoint(): number | Has | undefined {
    const character = this.#next()
    if (character !== '\\') return character.codePointAt(0)
    const escaped = this.#next()
    const has = letterClass(escaped)
    if (has !== undefined) return has
    const point = this.#escapedPoint(escaped)
    if (point === undefined) this.fail('invalid escape sequence', `\\${escaped}`)
    return point
  }

  #escape(): Expression {
    if (this.atEnd) return this.fail('trailing backslash at end of expression', '')
    const character = this.#next()
    const has = letterClass(character)
    if (has !== undefined) return set(has)
    if (character === 'b') return assertion(atWordEdge)
    if (character === 'B') return assertion((points, at) => !atWordEdge(points, at))
    if (character === 'A') return assertion((_, at) => at === 0)
    if (character === 'z') return assertion((points, at) => at === points.length)
    if (character === 'Q') return this.#quoted()
    const point = this.#escapedPoint(character)
    return point === undefined ? this.fail('invalid escape sequence', `\\${character}`) : this.#literal(point)
  }

  /** `\Q…\E`: as it stands. */
  #quoted(): Expression {
    const end = this.#text.indexOf('\\E', this.#at)
    const text = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#at = end < 0 ? this.#text.length : end + 2
    return { kind: 'sequence', parts: Array.from(text, (one) => this.#literal(one.codePointAt(0) as number)) }
  }

  #escapedPoint(character: string): number | undefined {
    const control = controls.get(character)
    if (control !== undefined) return control
    if (character === 'x') {
      const found = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(this.#text.slice(this.#at))
      if (found === null) return undefined
      this.#at += found[0].length
      return Number.parseInt(found[1] ?? found[2] ?? '', 16)
    }
    return /^[A-Za-z0-9]$/.test(character) || character === '' ? undefined : character.codePointAt(0)
  }

  #literal(point: number): Expression {
    return set(this.#folded((other) => other === point))
  }

  /** Of letters without accents, both cases where case is ignored. */
  #folded(has: Has): Has {
    if (!this.#ignoresCase) return has
    return (point) => has(point) || (isLetter(point) && has(point ^ 0x20))
  }

  #peek(): string {
    return this.#text[this.#at] ?? ''
  }

  #next(): string {
    const point = this.#text.codePointAt(this.#at)
    if (point === undefined) return ''
    const character = String.fromCodePoint(point)
    this.#at += character.length
    return character
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }
}

function set(has: Has): Expression {
  return { kind: 'set', has }
}

function assertion(holds: (points: readonly number[], at: number) => boolean): Expression {
  return { kind: 'assert', holds }
}

function between(from: string, to: string): Has {
  const [least, most] = [from.charCodeAt(0), to.charCodeAt(0)]
  return (point) => point >= least && point <= most
}

const isDigit = between('0', '9')
const isUpper = between('A', 'Z')
const isLower = between('a', 'z')
const isLetter: Has = (point) => isUpper(point) || isLower(point)
const isWord: Has = (point) => isLetter(point) || isDigit(point) || point === 0x5f
/** Tab, line feed, form feed, carriage return, space. */
const isBlank: Has = (point) => point === 0x20 || point === 9 || point === 10 || point === 12 || point === 13

const controls: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['t', 9],
  ['n', 10],
  ['r', 13],
  ['v', 11],
])

const namedClasses: ReadonlyMap<string, Has> = new Map([
  ['alnum', (point: number) => isLetter(point) || isDigit(point)],
  ['alpha', isLetter],
  ['digit', isDigit],
  ['lower', isLower],
  ['upper', isUpper],
  ['space', (point: number) => isBlank(point) || point === 11],
  ['punct', (point: number) => point > 0x20 && point < 0x7f && !isLetter(point) && !isDigit(point)],
  ['word', isWord],
  ['xdigit', (point: number) => isDigit(point) || between('a', 'f')(point) || between('A', 'F')(point)],
])

function letterClass(letter: string): Has | undefined {
  const has = letter === '' ? undefined : { d: isDigit, w: isWord, s: isBlank }[letter.toLowerCase()]
  if (has === undefined || !'dwsDWS'.includes(letter)) return undefined
  return letter === letter.toLowerCase() ? has : (point) => !has(point)
}

function atLineStart(points: readonly number[], at: number): boolean {
  return at === 0 || points[at - 1] === 0x0a
}

function atLineEnd(points: readonly number[], at: number): boolean {
  return at === points.length || points[at] === 0x0a
}

function atWordEdge(points: readonly number[], at: number): boolean {
  const [before, after] = [points[at - 1], points[at]]
  return (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after))
}
