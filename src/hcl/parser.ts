import type { Lexer, Token } from './lexer.ts'
import { type Item, members } from './members.ts'
import { HclError, unknownToken } from './problem.ts'
import type { HclBlock, HclNode, HclScalar } from './tree.ts'

/** Maximum depth of nested blocks and lists: a deeper text is not a configuration. */
export const depthMax = 100

/**
 * Limits the number of values and labels of one text: reading each costs a microsecond, and few characters make one.
 */
export class ItemBudget {
  readonly #max: number
  #taken = 0

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  take(offset: number): void {
    if (++this.#taken > this.#max) throw new HclError(offset, `more than ${this.#max} values and labels`)
  }
}

/** Parses HCL 1 like the field's parser: `members` describes the handling of repeated names. */
export class Parser {
  readonly #lexer: Lexer
  readonly #budget: ItemBudget
  #token: Token
  #depth = 0

  constructor(lexer: Lexer, itemsMax?: number) {
    this.#lexer = lexer
    this.#budget = new ItemBudget(itemsMax)
    this.#token = this.#lexer.next()
  }

  file(): HclBlock {
    return { kind: 'block', offset: 0, members: members(this.#items('EOF')) }
  }

  #advance(): Token {
    const token = this.#token
    this.#token = this.#lexer.next()
    return token
  }

  /** Parses up to the token that ends them, which stays. Each may be followed by a comma. */
  #items(end: 'EOF' | 'RBRACE'): readonly Item[] {
    const items: Item[] = []
    while (this.#token.kind !== end) {
      if (this.#token.kind === 'EOF') {
        throw new HclError(this.#token.offset, 'object expected closing RBRACE got: EOF', 'closing-brace')
      }
      items.push(this.#item())
      if (this.#token.kind === 'COMMA') this.#advance()
    }
    return items
  }

  #item(): Item {
    const keys = this.#keys()
    const sign = this.#token
    if (sign.kind === 'LBRACE') return { keys, value: this.#block() }
    if (sign.kind !== 'ASSIGN') {
      const isEnd = sign.kind === 'EOF' || sign.kind === 'RBRACE'
      const expected = `expected: IDENT | STRING | ASSIGN | LBRACE got: ${sign.kind}`
      if (!isEnd) throw new HclError(sign.offset, expected, 'next-token')
      throw new HclError(
        sign.offset,
        `key '${namesOf(keys)}' expected start of object ('{') or assignment ('=')`,
        'next-token',
      )
    }
    if (keys.length > 1) throw new HclError(sign.offset, 'nested object expected: LBRACE got: ASSIGN')
    this.#advance()
    // The field accepts a file that ends here, without this key.
    if (this.#token.kind === 'EOF') {
      throw new HclError(sign.offset, `no value stands after '${namesOf(keys)} ='`)
    }
    return { keys, value: this.#value() }
  }

  #keys(): readonly [Token, ...Token[]] {
    const keys: Token[] = []
    while (this.#token.kind === 'IDENT' || this.#token.kind === 'STRING') {
      this.#budget.take(this.#token.offset)
      keys.push(this.#advance())
    }
    const { kind, offset } = this.#token
    if (keys.length > depthMax) throw new HclError(offset, `more than ${depthMax} labels of one block`)
    if (!isFilled(keys)) throw new HclError(offset, noKeys(kind), 'next-token')
    return keys
  }

  #value(): HclNode {
    const scalar = this.#scalar()
    if (scalar !== undefined) return scalar
    const { kind, offset, text } = this.#token
    if (kind === 'LBRACE') return this.#block()
    if (kind === 'LBRACK') return this.#list()
    throw new HclError(offset, `${unknownToken}${kind} ${text.split('\n', 1)[0] ?? ''}`, 'unknown-token')
  }

  #scalar(): HclScalar | undefined {
    switch (this.#token.kind) {
      case 'NUMBER':
      case 'FLOAT':
      case 'BOOL':
      case 'STRING':
      case 'HEREDOC': {
        const { offset, value } = this.#advance()
        return { kind: 'scalar', offset, value: value ?? '' }
      }
      default:
        return undefined
    }
  }

  #block(): HclBlock {
    const { offset } = this.#enter()
    const items = this.#items('RBRACE')
    this.#leave()
    return { kind: 'block', offset, members: members(items) }
  }

  #list(): HclNode {
    const { offset } = this.#enter()
    const items: HclNode[] = []
    let mayFollow = true
    while (this.#token.kind !== 'RBRACK') {
      const { kind, offset: at } = this.#token
      if (kind === 'COMMA') {
        this.#advance()
        mayFollow = true
        continue
      }
      const expected = `error parsing list, expected comma or list end, got: ${kind}`
      if (!mayFollow) throw new HclError(at, expected, 'next-token')
      this.#budget.take(at)
      items.push(this.#value())
      mayFollow = false
    }
    this.#leave()
    return { kind: 'list', offset, items, ofBlocks: false }
  }

  #enter(): Token {
    const token = this.#advance()
    if (++this.#depth > depthMax)
      throw new HclError(token.offset, `more than ${depthMax} blocks or lists in each other`)
    return token
  }

  #leave(): void {
    this.#depth--
    this.#advance()
  }
}

function isFilled<T>(items: T[]): items is [T, ...T[]] {
  return items.length > 0
}

function namesOf(keys: readonly Token[]): string {
  return keys.map(({ text }) => text).join(' ')
}

function noKeys(kind: Token['kind']): string {
  if (kind === 'ASSIGN') return 'no object keys found!'
  return kind === 'LBRACE'
    ? `expected: IDENT | STRING got: ${kind}`
    : `expected: IDENT | STRING | ASSIGN | LBRACE got: ${kind}`
}
