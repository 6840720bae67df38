import { textOf } from './bytes.ts'
import { JsonTokens } from './json-tokens.ts'
import { err, ok, type Result } from './result.ts'
import { isList } from './shape.ts'

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

/** Plain data, for code that reads it member by member. A member `__proto__` is treated like any other. */
export function plainOf(value: JsonInput): unknown {
  if (isList(value)) return value.map(plainOf)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([name, member]: [string, JsonInput]) => [name, plainOf(member)]))
}

/** Goes over the text once. After the first fault nothing more is read, and what was returned means nothing. */
class JsonReader {
  readonly #tokens: JsonTokens
  readonly #bounds: JsonBounds
  #depth = 0
  #values = 0
  /** The limit that was exceeded; its place is determined on the way out, from the innermost step. */
  #tooMany: string | undefined
  readonly #steps: string[] = []

  constructor(text: string, bounds: JsonBounds) {
    this.#tokens = new JsonTokens(text)
    this.#bounds = bounds
  }

  get kind(): JsonFault['kind'] {
    return this.#tooMany === undefined ? 'malformed' : 'tooMany'
  }

  get fault(): string | undefined {
    if (this.#tooMany === undefined) return this.#tokens.fault
    const place = this.#steps.toReversed().join('').replace(/^\./, '')
    return `${place === '' ? 'the body' : `'${place}'`} ${this.#tooMany}`
  }

  document(): JsonInput {
    this.#tokens.skipSpace()
    if (this.#tokens.next === '') return this.#tokens.fail('EOF')
    return this.#value()
  }

  #value(): JsonInput {
    if (++this.#values > this.#bounds.values) {
      return this.#exceed(`goes beyond the ${this.#bounds.values} values that a body may hold`)
    }
    this.#tokens.skipSpace()
    const first = this.#tokens.next
    if (first === '{') return this.#nested(() => this.#object())
    if (first === '[') return this.#nested(() => this.#list())
    return this.#tokens.scalar()
  }

  #nested(read: () => JsonInput): JsonInput {
    if (this.#depth >= depthMax) return this.#tokens.fail(`nested deeper than ${depthMax}`)
    this.#depth++
    this.#tokens.pass()
    const value = read()
    this.#depth--
    return value
  }

  #object(): JsonInput {
    const members = new Map<string, JsonInput>()
    this.#tokens.skipSpace()
    if (this.#tokens.take('}')) return members
    for (let count = 1; ; count++) {
      if (count > this.#bounds.members) return this.#exceed(`has more than ${this.#bounds.members} members`)
      this.#tokens.skipSpace()
      if (this.#tokens.next !== '"') return this.#tokens.unexpected('looking for beginning of object key string')
      const key = this.#tokens.string()
      this.#tokens.skipSpace()
      if (this.#tokens.fault === undefined && !this.#tokens.take(':'))
        return this.#tokens.unexpected('after object key')
      const value = this.#tokens.fault === undefined ? this.#value() : null
      if (this.#tooMany !== undefined) this.#steps.push(`.${key.slice(0, shownKeyMax)}`)
      members.set(key, value)
      this.#tokens.skipSpace()
      if (this.#tokens.fault !== undefined || this.#tokens.take('}')) return members
      if (!this.#tokens.take(',')) return this.#tokens.unexpected('after object key:value pair')
    }
  }

  #list(): JsonInput {
    const items: JsonInput[] = []
    this.#tokens.skipSpace()
    if (this.#tokens.take(']')) return items
    for (;;) {
      if (items.length >= this.#bounds.members) return this.#exceed(`has more than ${this.#bounds.members} items`)
      items.push(this.#value())
      if (this.#tooMany !== undefined) this.#steps.push(`[${items.length - 1}]`)
      this.#tokens.skipSpace()
      if (this.#tokens.fault !== undefined || this.#tokens.take(']')) return items
      if (!this.#tokens.take(',')) return this.#tokens.unexpected('after array element')
    }
  }

  #exceed(what: string): null {
    if (this.#tokens.fault === undefined) this.#tooMany = what
    return this.#tokens.fail(what)
  }
}
