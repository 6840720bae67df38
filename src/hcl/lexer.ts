import { heredocValue, numberValue, stringValue } from './literals.ts'
import { HclError } from './problem.ts'

type TokenKind =
  | 'EOF'
  | 'IDENT'
  | 'NUMBER'
  | 'FLOAT'
  | 'BOOL'
  | 'STRING'
  | 'HEREDOC'
  | 'ASSIGN'
  | 'COMMA'
  | 'LBRACE'
  | 'RBRACE'
  | 'LBRACK'
  | 'RBRACK'
  | 'PERIOD'
  | 'ADD'
  | 'SUB'

export interface Token {
  readonly kind: TokenKind
  /** Its start, in UTF-16 units. */
  readonly offset: number
  /** Its text, unchanged. */
  readonly text: string
  /** The value of names, texts, numbers and booleans. */
  readonly value: string | number | boolean | undefined
}

const signs: ReadonlyMap<string, TokenKind> = new Map([
  ['=', 'ASSIGN'],
  [',', 'COMMA'],
  ['{', 'LBRACE'],
  ['}', 'RBRACE'],
  ['[', 'LBRACK'],
  [']', 'RBRACK'],
  ['+', 'ADD'],
])

const space = /[ \t\r\n]*/y
/**
 * The character with the greatest code among those that `space` skips: most tokens follow the previous one without
 * space.
 */
const spaceCode = 0x20
const comment = /#[^\n]*|\/\/[^\n]*|\/\*/y
// The field accepts letters of any script; here everything beyond ASCII counts as a letter.
const name = /[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff-]*/y
const number = /-?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|\.\d+(?:[eE][+-]?\d+)?/y
const heredocHead = /<<(-?)([A-Za-z_\u0080-\uffff][\w.\u0080-\uffff-]*|\d+)\r?\n/y

/** Nearly every string: without escapes and `${…}`, so that it ends with the next quote. */
const plainString = /"[^"\\\n$]*"/y

/** A comment as in the text, without its line end. */
export interface Comment {
  readonly offset: number
  readonly text: string
}

/** HCL 1 as tokens, one at a time. Comments are passed to `onComment`, if given, before the token that follows them. */
export class Lexer {
  readonly #text: string
  readonly #onComment: ((comment: Comment) => void) | undefined
  #at = 0
  /** Where the last comment ended that goes to the end of its line. */
  #commentEnd = -1

  constructor(text: string, onComment?: (comment: Comment) => void) {
    this.#text = text
    this.#onComment = onComment
  }

  /** Whether the last line is, or ends with, a comment, and has no line end. */
  get endsInComment(): boolean {
    return this.#commentEnd === this.#text.length
  }

  next(): Token {
    this.#skip()
    const offset = this.#at
    const character = this.#text[offset]
    if (character === undefined) return { kind: 'EOF', offset, text: '', value: undefined }
    if (character === '"') return this.#string()
    if (character === '<') return this.#heredoc()
    const sign = signs.get(character)
    if (sign !== undefined) {
      this.#at++
      return { kind: sign, offset, text: character, value: undefined }
    }
    const word = this.#match(name)
    if (word !== undefined) {
      const isTruth = word === 'true' || word === 'false'
      return { kind: isTruth ? 'BOOL' : 'IDENT', offset, text: word, value: isTruth ? word === 'true' : word }
    }
    const digits = this.#match(number)
    if (digits !== undefined) return numberToken(offset, digits)
    this.#at++
    const kind = character === '-' ? 'SUB' : character === '.' ? 'PERIOD' : undefined
    if (kind === undefined) throw new HclError(offset, character === '/' ? "expected '/' for comment" : 'illegal char')
    return { kind, offset, text: character, value: undefined }
  }

  #match(pattern: RegExp): string | undefined {
    const begin = this.#at
    pattern.lastIndex = begin
    // `test` makes no list of matches, which is not needed.
    if (!pattern.test(this.#text) || pattern.lastIndex === begin) return undefined
    this.#at = pattern.lastIndex
    return this.#text.slice(begin, this.#at)
  }

  #skip(): void {
    for (;;) {
      if (this.#text.charCodeAt(this.#at) <= spaceCode) this.#match(space)
      const offset = this.#at
      const first = this.#text[offset]
      if (first !== '#' && first !== '/') return
      const begun = this.#match(comment)
      if (begun === undefined) return
      if (begun === '/*') {
        const end = this.#text.indexOf('*/', this.#at)
        if (end < 0) throw new HclError(offset, 'comment not terminated')
        this.#at = end + 2
      } else this.#commentEnd = this.#at
      this.#onComment?.({ offset, text: this.#text.slice(offset, this.#at).trimEnd() })
    }
  }

  /** To its closing quote: quotes and line ends inside of `${…}` belong to it. */
  #string(): Token {
    const offset = this.#at
    const plain = this.#match(plainString)
    if (plain !== undefined) return { kind: 'STRING', offset, text: plain, value: plain.slice(1, -1) }
    let depth = 0
    let at = offset + 1
    for (; ; at++) {
      const character = this.#text[at]
      if (character === undefined || (character === '\n' && depth === 0)) {
        throw new HclError(at, 'literal not terminated')
      }
      if (character === '"' && depth === 0) break
      if (depth === 0 && character === '$' && this.#text[at + 1] === '{') {
        depth = 1
        at++
      } else if (depth > 0 && character === '{') depth++
      else if (depth > 0 && character === '}') depth--
      if (character === '\\') at++
    }
    this.#at = at + 1
    const text = this.#text.slice(offset, this.#at)
    return { kind: 'STRING', offset, text, value: stringValue(text.slice(1, -1), offset + 1) }
  }

  /** Lines up to one that consists of the mark; the line end after the mark is not part of it. */
  #heredoc(): Token {
    const offset = this.#at
    heredocHead.lastIndex = offset
    const head = heredocHead.exec(this.#text)
    if (head === null) throw new HclError(offset, "heredoc expected second '<', a mark and the end of the line")
    const [opening, dash, mark] = head
    const begin = offset + opening.length
    for (let line = begin; ; ) {
      const end = this.#text.indexOf('\n', line)
      if (end < 0) throw new HclError(this.#text.length, 'heredoc not terminated')
      const content = this.#text.slice(line, end)
      if (content.trim() === mark) {
        this.#at = end
        const body = this.#text.slice(begin, line + content.indexOf(mark))
        const text = this.#text.slice(offset, end)
        return { kind: 'HEREDOC', offset, text, value: heredocValue(body, dash === '-') }
      }
      line = end + 1
    }
  }
}

function numberToken(offset: number, text: string): Token {
  const isWhole = /^-?(?:0[xX][0-9a-fA-F]+|\d+)$/.test(text)
  return { kind: isWhole ? 'NUMBER' : 'FLOAT', offset, text, value: numberValue(text, isWhole, offset) }
}
