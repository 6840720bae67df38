import { Lexer } from './lexer.ts'
import { HclError } from './problem.ts'
import type { Token } from './token.ts'
import type { HclBlock, HclList, HclMember, HclNode, HclScalar } from './tree.ts'

/** Blocks and lists within each other: what is deeper is no configuration. */
const depthMax = 100

/** `a "b" { … }` has two keys, `a = 1` has one. */
interface Item {
  readonly keys: readonly Token[]
  readonly value: HclNode
}

/** HCL 1, as the field's parser takes it: see `members` for what becomes of repeated names. */
export class Parser {
  readonly #lexer: Lexer
  #token: Token
  #depth = 0

  constructor(text: string) {
    this.#lexer = new Lexer(text)
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

  /** Up to the token that ends them, which stays. A comma after each may be. */
  #items(end: 'EOF' | 'RBRACE'): readonly Item[] {
    const items: Item[] = []
    while (this.#token.kind !== end) {
      if (this.#token.kind === 'EOF') throw new HclError(this.#token.offset, 'object expected closing RBRACE got: EOF')
      const item = this.#item()
      if (item !== undefined) items.push(item)
      if (this.#token.kind === 'COMMA') this.#advance()
    }
    return items
  }

  /** Undefined where the file ends after the sign of equality: the field takes that for nothing. */
  #item(): Item | undefined {
    const keys = this.#keys()
    const sign = this.#token
    if (sign.kind === 'LBRACE') return { keys, value: this.#block() }
    const names = keys.map(({ value }) => String(value)).join(' ')
    if (sign.kind !== 'ASSIGN') {
      throw new HclError(sign.offset, `key '${names}' expected start of object ('{') or assignment ('=')`)
    }
    if (keys.length > 1) throw new HclError(sign.offset, 'nested object expected: LBRACE got: ASSIGN')
    this.#advance()
    return (this.#token.kind as string) === 'EOF' ? undefined : { keys, value: this.#value() }
  }

  #keys(): readonly Token[] {
    const keys: Token[] = []
    while (this.#token.kind === 'IDENT' || this.#token.kind === 'STRING') keys.push(this.#advance())
    const { kind, offset } = this.#token
    if (keys.length === 0) throw new HclError(offset, `expected: IDENT | STRING got: ${kind}`)
    return keys
  }

  #value(): HclNode {
    const scalar = this.#scalar()
    if (scalar !== undefined) return scalar
    const { kind, offset, text } = this.#token
    if (kind === 'LBRACE') return this.#block()
    if (kind === 'LBRACK') return this.#list()
    throw new HclError(offset, `Unknown token: ${kind} ${text.split('\n', 1)[0] ?? ''}`)
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
      if (!mayFollow) throw new HclError(at, `error parsing list, expected comma or list end, got: ${kind}`)
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

/**
 * Items by their names. What the field's decoder makes of them:
 * 1. A block is a list of one block, and blocks of one name are a list of them in their order.
 * 2. Further names of an item are blocks in blocks: `service "web" { … }` is `service: [{ web: [{ … }] }]`.
 * 3. Lists of one name are one list; of scalars the last wins.
 * 4. Values of different kinds under one name are an error, and so is what is no block after a block.
 */
function members(items: readonly Item[]): ReadonlyMap<string, HclMember> {
  const found = new Map<string, HclMember>()
  for (const { keys, value } of items) {
    const [key, ...labels] = keys as [Token, ...Token[]]
    const name = String(key.value)
    const before = found.get(name)
    const node = labelled(labels, value)
    found.set(name, { offset: before?.offset ?? key.offset, node: joined(name, before?.node, node, key.offset) })
  }
  return found
}

function labelled(labels: readonly Token[], value: HclNode): HclNode {
  let node = asList(value)
  for (const label of labels.toReversed()) {
    const member = { offset: label.offset, node }
    node = asList({ kind: 'block', offset: label.offset, members: new Map([[String(label.value), member]]) })
  }
  return node
}

function asList(node: HclNode): HclNode {
  return node.kind === 'block' ? { kind: 'list', offset: node.offset, items: [node], ofBlocks: true } : node
}

function joined(name: string, before: HclNode | undefined, node: HclNode, offset: number): HclNode {
  if (before === undefined) return node
  if (before.kind === 'list' && node.kind === 'list' && mayJoin(before, node)) {
    return { ...before, items: [...before.items, ...node.items] }
  }
  const isSame = before.kind === 'scalar' && node.kind === 'scalar' && typeof before.value === typeof node.value
  if (isSame) return node
  throw new HclError(offset, `'${name}' is of one kind in one place and of another in another`)
}

function mayJoin(before: HclList, more: HclList): boolean {
  return !before.ofBlocks || more.items.every(({ kind }) => kind === 'block')
}
