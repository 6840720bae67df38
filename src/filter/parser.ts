import { type Token, tokensOf } from './lexer.ts'
import { depthMax, lengthMax } from './limits.ts'
import { FilterError } from './problem.ts'
import type { Comparison, Expression, Operand, Relation, Selector, SelectorPart } from './tree.ts'

/** Parses a filter. Throws FilterError. The grammar is in the page of the room. */
export function parseExpression(text: string): Expression {
  if (text.length > lengthMax) throw new FilterError(lengthMax, `a filter has at most ${lengthMax} characters`)
  return new Parser(tokensOf(text)).whole()
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Expression {
    const expression = this.#anyOf()
    if (this.#next.kind !== 'end') throw this.#unlike('"and", "or" or the end of the filter')
    return expression
  }

  get #next(): Token {
    return this.#ahead(0)
  }

  /** Beyond the end there is the end. */
  #ahead(count: number): Token {
    const token = this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)]
    if (token === undefined) throw new FilterError(0, 'there is no token')
    return token
  }

  #anyOf(): Expression {
    return this.#chain('any-of', 'or', () => this.#chain('all-of', 'and', () => this.#negation()))
  }

  #chain(kind: 'all-of' | 'any-of', between: string, one: () => Expression): Expression {
    const first = one()
    if (!this.#isWord(between)) return first
    const parts = [first]
    while (this.#tookWord(between)) parts.push(one())
    return { kind, parts }
  }

  /**
   * `not` is an operator wherever what follows is an expression, and otherwise a value: `not in Tags` asks for a tag of
   * this name. The second try reads a few tokens at most, so that a chain of negations takes time in proportion.
   */
  #negation(): Expression {
    if (!this.#isWord('not')) return this.#group()
    const start = this.#at
    try {
      this.#at++
      return { kind: 'not', part: this.#deeper(() => this.#negation()) }
    } catch (failed) {
      if (!(failed instanceof FilterError)) throw failed
      this.#at = start
      try {
        return this.#comparison()
      } catch (failedAgain) {
        if (!(failedAgain instanceof FilterError)) throw failedAgain
        throw failedAgain.offset > failed.offset ? failedAgain : failed
      }
    }
  }

  #group(): Expression {
    if (!this.#tookSign('(')) return this.#comparison()
    const inner = this.#deeper(() => this.#anyOf())
    if (!this.#tookSign(')')) throw this.#unlike('"and", "or" or a closing parenthesis')
    return inner
  }

  #deeper(parse: () => Expression): Expression {
    if (this.#depth >= depthMax) throw this.#unlikeText(`parentheses and "not" nest at most ${depthMax} deep`)
    this.#depth++
    try {
      return parse()
    } finally {
      this.#depth--
    }
  }

  #comparison(): Comparison {
    if (this.#next.kind === 'word') {
      const selector = this.#selector()
      return this.#membership({ text: namesOf(selector), offset: offsetOf(selector) }) ?? this.#judgement(selector)
    }
    const value = this.#literal()
    if (value === undefined) throw this.#unlike('a selector, a value, "not" or an opening parenthesis')
    const membership = this.#membership(value)
    if (membership === undefined) throw this.#unlike('"in" or "not in" after a value')
    return membership
  }

  /** What follows the value in `value in selector`, if anything. */
  #membership(operand: Operand): Comparison | undefined {
    const operator = this.#operator(['in', 'not in'])
    if (operator === undefined) return undefined
    if (this.#next.kind !== 'word') throw this.#unlike(`a selector after "${operator.operator}"`)
    return { ...operator, selector: this.#selector(), operand }
  }

  /** What follows the selector in every other comparison. */
  #judgement(selector: Selector): Comparison {
    const unary = this.#operator(['is empty', 'is not empty'])
    if (unary !== undefined) return { ...unary, selector }
    const operator = this.#operator(['==', '!=', 'contains', 'not contains', 'matches', 'not matches'])
    if (operator === undefined) {
      const words = '"==", "!=", "in", "contains", "matches", each of the last three also with "not", or "is empty"'
      throw this.#unlike(words)
    }
    const operand = this.#next.kind === 'word' ? this.#selectorAsValue() : this.#literal()
    if (operand === undefined) throw this.#unlike(`a value after "${operator.operator}"`)
    return { ...operator, selector, operand }
  }

  /** Takes one of these operators, of one or several words. */
  #operator(allowed: readonly string[]): Omit<Comparison, 'selector' | 'operand'> | undefined {
    for (const operator of allowed) {
      const words = operator.split(' ')
      if (!words.every((each, at) => this.#ahead(at).source === each && this.#ahead(at).kind !== 'text')) continue
      const operatorOffset = this.#next.offset
      this.#at += words.length
      return { kind: 'comparison', operator, operatorOffset, ...meaningOf(words) }
    }
    return undefined
  }

  /** A name, and further ones behind dots or in brackets. */
  #selector(): Selector {
    const parts: SelectorPart[] = [this.#part()]
    while (!this.#next.isApart) {
      if (this.#tookSign('.')) {
        if (this.#next.kind !== 'word' || this.#next.isApart) throw this.#unlike('a name after the dot')
        parts.push(this.#part())
      } else if (this.#tookSign('[')) {
        if (this.#next.kind !== 'text') throw this.#unlike('a quoted key after "["')
        parts.push(this.#part())
        if (!this.#tookSign(']')) throw this.#unlike('"]" after the key')
      } else break
    }
    return parts
  }

  #part(): SelectorPart {
    const { value, offset } = this.#next
    this.#at++
    return { name: value, offset }
  }

  /** A value may stand without quotes if it looks like a selector. */
  #selectorAsValue(): Operand {
    const selector = this.#selector()
    return { text: namesOf(selector), offset: offsetOf(selector) }
  }

  #literal(): Operand | undefined {
    const { kind, value, offset } = this.#next
    if (kind !== 'text' && kind !== 'number') return undefined
    this.#at++
    return { text: value, offset }
  }

  #isWord(word: string): boolean {
    return this.#next.kind === 'word' && this.#next.source === word
  }

  #tookWord(word: string): boolean {
    const isNext = this.#isWord(word)
    if (isNext) this.#at++
    return isNext
  }

  #tookSign(sign: string): boolean {
    const isNext = this.#next.kind === 'sign' && this.#next.source === sign
    if (isNext) this.#at++
    return isNext
  }

  #unlike(expected: string): FilterError {
    const { kind, source } = this.#next
    return this.#unlikeText(`expected ${expected}, found ${kind === 'end' ? 'the end of the filter' : shown(source)}`)
  }

  #unlikeText(message: string): FilterError {
    return new FilterError(this.#next.offset, message)
  }
}

function meaningOf(words: readonly string[]): { readonly relation: Relation; readonly isNegated: boolean } {
  const isNegated = words.includes('not') || words[0] === '!='
  const last = words.at(-1)
  const relation = last === 'empty' || last === 'matches' ? last : last === '==' || last === '!=' ? 'equal' : 'in'
  return { relation, isNegated }
}

function namesOf(selector: Selector): string {
  return selector.map(({ name }) => name).join('.')
}

function offsetOf(selector: Selector): number {
  return selector[0]?.offset ?? 0
}

/** Longest part of the caller's text in a message, in UTF-16 units. */
const shownMax = 40

function shown(source: string): string {
  return source.length > shownMax ? `${source.slice(0, shownMax)}…` : source
}
