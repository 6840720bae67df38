import { invariant } from '../base/invariant.ts'
import { itemAt } from '../base/items.ts'
import { type Comment, Lexer, type Token } from './lexer.ts'

/** The parts of a text that a tree leaves out: how values are written, on which lines they stand, and the comments. */
export interface Layout {
  readonly items: readonly LayoutItem[]
  /** Comments after the last item. */
  readonly rest: readonly CommentGroup[]
}

/** Comments on consecutive lines. */
export type CommentGroup = readonly string[]

export interface LayoutItem {
  /** Comments above it, separated by a gap. */
  readonly apart: readonly CommentGroup[]
  /** Comments directly above it, or within it if they have no place of their own. */
  readonly above: readonly string[]
  readonly keys: readonly LayoutKey[]
  readonly isAssigned: boolean
  readonly value: LayoutValue
  /** A comment after it on its last line. */
  readonly beside: string | undefined
  /** Lines of its first and its last character, counted from 0. */
  readonly firstLine: number
  readonly lastLine: number
}

export interface LayoutKey {
  /** As written, including quotes. */
  readonly text: string
  readonly name: string
}

export type LayoutValue =
  | { readonly kind: 'text'; readonly text: string; readonly isHeredoc: boolean }
  | { readonly kind: 'list'; readonly values: readonly LayoutValue[] }
  | { readonly kind: 'block'; readonly layout: Layout }

/** The text must be one that `parseHcl` accepts. */
export function layoutOf(text: string): Layout {
  return new LayoutReader(text).file()
}

interface Placed {
  readonly text: string
  readonly firstLine: number
  readonly lastLine: number
}

class LayoutReader {
  readonly #lexer: Lexer
  readonly #lineStarts: readonly number[]
  /** Comments before the present token that are not attached yet. */
  #comments: Placed[] = []
  /** Comments between the parts of the present item. */
  readonly #within: string[] = []
  #token: Token
  /** The line where the last token ends. */
  #lastLine = 0

  constructor(text: string) {
    this.#lineStarts = lineStartsOf(text)
    this.#lexer = new Lexer(text, (comment) => this.#comments.push(this.#placed(comment)))
    this.#token = this.#lexer.next()
  }

  file(): Layout {
    return this.#layout('EOF')
  }

  #layout(end: 'EOF' | 'RBRACE'): Layout {
    const items: LayoutItem[] = []
    while (this.#token.kind !== end && this.#token.kind !== 'EOF') {
      items.push(this.#item())
      if (this.#token.kind === 'COMMA') this.#take()
    }
    return { items, rest: groupsOf(this.#takeComments()) }
  }

  #item(): LayoutItem {
    const firstLine = this.#lineAt(this.#token.offset)
    const groups = groupsOf(this.#comments)
    const isAbove = (this.#comments.at(-1)?.lastLine ?? Number.NEGATIVE_INFINITY) >= firstLine - 1
    if (this.#comments.length > 0) this.#comments = []
    const keys: LayoutKey[] = []
    while (this.#token.kind === 'IDENT' || this.#token.kind === 'STRING') {
      const { text, value } = this.#take()
      keys.push({ text, name: String(value) })
    }
    const isAssigned = this.#token.kind === 'ASSIGN'
    if (isAssigned) this.#take()
    const value = this.#value()
    const beside = this.#takeBeside()
    return {
      apart: isAbove ? groups.slice(0, -1) : groups,
      above: [...(isAbove ? (groups.at(-1) ?? []) : []), ...this.#within.splice(0)],
      keys,
      isAssigned,
      value,
      beside,
      firstLine,
      lastLine: this.#lastLine,
    }
  }

  #value(): LayoutValue {
    this.#takeWithin()
    if (this.#token.kind === 'LBRACE') return this.#block()
    if (this.#token.kind === 'LBRACK') return this.#list()
    invariant(this.#token.kind !== 'EOF', 'only what was parsed is laid out')
    const { text, kind } = this.#take()
    return { kind: 'text', text, isHeredoc: kind === 'HEREDOC' }
  }

  #block(): LayoutValue {
    const above = this.#within.splice(0)
    this.#take()
    const layout = this.#layout('RBRACE')
    this.#take()
    this.#within.push(...above)
    return { kind: 'block', layout }
  }

  #list(): LayoutValue {
    this.#take()
    const values: LayoutValue[] = []
    while (this.#token.kind !== 'RBRACK') {
      if (this.#token.kind === 'COMMA') this.#take()
      else values.push(this.#value())
    }
    this.#takeWithin()
    this.#take()
    return { kind: 'list', values }
  }

  #takeWithin(): void {
    for (const { text } of this.#takeComments()) this.#within.push(text)
  }

  #take(): Token {
    const token = this.#token
    this.#lastLine = this.#lineAt(token.offset + Math.max(0, token.text.length - 1))
    this.#token = this.#lexer.next()
    return token
  }

  #takeComments(): readonly Placed[] {
    if (this.#comments.length === 0) return none
    return this.#comments.splice(0)
  }

  /** The first comment after the value, if it begins on its last line. */
  #takeBeside(): string | undefined {
    if (this.#comments[0]?.firstLine !== this.#lastLine) return undefined
    return this.#comments.shift()?.text
  }

  #placed({ offset, text }: Comment): Placed {
    return { text, firstLine: this.#lineAt(offset), lastLine: this.#lineAt(offset + text.length - 1) }
  }

  /** The last line that begins at or before an offset. */
  #lineAt(offset: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (itemAt(this.#lineStarts, middle) <= offset) low = middle
      else high = middle
    }
    return low
  }
}

/** Nearly every item has no comments: one empty list serves all of them. */
const none: readonly never[] = []

function lineStartsOf(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

function groupsOf(comments: readonly Placed[]): readonly CommentGroup[] {
  if (comments.length === 0) return none
  const groups: string[][] = []
  let line = Number.NEGATIVE_INFINITY
  for (const { text, firstLine, lastLine } of comments) {
    const last = groups.at(-1)
    if (last !== undefined && firstLine <= line + 1) last.push(text)
    else groups.push([text])
    line = lastLine
  }
  return groups
}
