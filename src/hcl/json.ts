import { err, ok, type Result } from '../base/result.ts'
import { numberValue } from './literals.ts'
import { type Item, members } from './members.ts'
import { depthMax, ItemBudget } from './parser.ts'
import { HclError, type HclProblem, problemOf } from './problem.ts'
import type { HclBlock, HclNode } from './tree.ts'

/** Whether the field would treat a text as JSON rather than HCL: by its first character. */
export function isJson(text: string): boolean {
  return /^\s*\{/.test(text)
}

/**
 * Parses the JSON form of HCL into the same tree: an object is a block, `{"key":{"foo/":{…}}}` is `key "foo/" {…}`, and
 * repeated names are joined like blocks. Unlike the field's parser it accepts only JSON: nothing cut off, nothing after
 * it. `itemsMax` limits the number of values in it.
 */
export function parseHclJson(text: string, itemsMax?: number): Result<HclBlock, HclProblem> {
  try {
    return ok(new JsonReader(text, itemsMax).document())
  } catch (cause) {
    if (!(cause instanceof HclError)) throw cause
    return err(problemOf(cause))
  }
}

const space = /[ \t\r\n]*/y
/** Nearly every string: ASCII without escapes, so that the text between the quotes is its value. */
const plainString = /"[ !#-[\]-~]*"/y
const quoted = /"(?:[^"\\]|\\.)*"/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const loneSurrogate = /[\ud800-\udfff]/u
const word = /true|false|null/y

class JsonReader {
  readonly #text: string
  readonly #budget: ItemBudget
  #at = 0
  #depth = 0

  constructor(text: string, itemsMax?: number) {
    this.#text = text
    this.#budget = new ItemBudget(itemsMax)
  }

  document(): HclBlock {
    const value = this.#value()
    if (this.#peek() !== undefined) throw this.#unexpected('the end')
    if (value.kind !== 'block') throw new HclError(value.offset, 'not an object')
    return value
  }

  #value(): HclNode {
    const character = this.#peek()
    const offset = this.#at
    this.#budget.take(offset)
    if (character === '{') return this.#block()
    if (character === '[') return this.#list()
    if (character === '"') return { kind: 'scalar', offset, value: this.#string() }
    const digits = this.#match(number)
    if (digits !== undefined) {
      return { kind: 'scalar', offset, value: numberValue(digits, /^-?\d+$/.test(digits), offset) }
    }
    const truth = this.#match(word)
    if (truth === undefined) throw this.#unexpected('a value')
    return { kind: 'scalar', offset, value: truth === 'null' ? '' : truth === 'true' }
  }

  /** The offset of what begins here. */
  #enter(): number {
    if (++this.#depth > depthMax) throw new HclError(this.#at, `more than ${depthMax} objects or lists in each other`)
    return this.#at++
  }

  #leave(): void {
    this.#depth--
    this.#at++
  }

  #block(): HclBlock {
    const offset = this.#enter()
    const items: Item[] = []
    while (this.#peek() !== '}') {
      if (items.length > 0) this.#expect(',')
      this.#peek()
      const key = { offset: this.#at, value: this.#string() }
      this.#expect(':')
      items.push({ keys: [key], value: this.#value() })
    }
    this.#leave()
    return { kind: 'block', offset, members: members(items) }
  }

  #list(): HclNode {
    const offset = this.#enter()
    const items: HclNode[] = []
    while (this.#peek() !== ']') {
      if (items.length > 0) this.#expect(',')
      items.push(this.#value())
    }
    this.#leave()
    return { kind: 'list', offset, items, ofBlocks: false }
  }

  #string(): string {
    const plain = this.#match(plainString)
    if (plain !== undefined) return plain.slice(1, -1)
    const text = this.#match(quoted)
    if (text === undefined) throw this.#unexpected('a string')
    const offset = this.#at - text.length
    try {
      const value = String(JSON.parse(text))
      if (loneSurrogate.test(value)) throw new HclError(offset, 'a string with half of a character')
      return value
    } catch (cause) {
      if (cause instanceof HclError) throw cause
      throw new HclError(offset, 'a string with an illegal character or escape')
    }
  }

  #expect(sign: string): void {
    if (this.#peek() !== sign) throw this.#unexpected(`'${sign}'`)
    this.#at++
  }

  /** The next character after any space; undefined at the end. */
  #peek(): string | undefined {
    const next = this.#text[this.#at]
    if (next === undefined || next > ' ') return next
    this.#match(space)
    return this.#text[this.#at]
  }

  #match(pattern: RegExp): string | undefined {
    const begin = this.#at
    pattern.lastIndex = begin
    // `test` makes no list of matches, which is not needed.
    if (!pattern.test(this.#text)) return undefined
    this.#at = pattern.lastIndex
    return this.#text.slice(begin, this.#at)
  }

  #unexpected(expected: string): HclError {
    const character = this.#text[this.#at]
    const got = character === undefined ? 'EOF' : `'${character}'`
    return new HclError(this.#at, `expected ${expected} got: ${got}`, 'next-token')
  }
}
