import { z } from 'zod'

type Schema = Readonly<Record<string, unknown>>

/** Values that fit a schema and mean nothing, drawn by `turn`; `texts` are what stands where there is a text. */
export function nonsense(schema: z.ZodType | Schema, texts: readonly string[], turn: number): unknown {
  const plain = schema instanceof z.ZodType ? plainOf(schema) : schema
  return new Nonsense(plain, texts, turn).of(plain, 0)
}

/** Of one schema many values are drawn, and to translate it costs far more than to draw one. */
const translated = new WeakMap<z.ZodType, Schema>()

function plainOf(schema: z.ZodType): Schema {
  const known = translated.get(schema)
  if (known !== undefined) return known
  const plain = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
  translated.set(schema, plain)
  return plain
}

/** Deeper values are left out where they may be. */
const depthMax = 6

class Nonsense {
  readonly #root: Schema
  readonly #texts: readonly string[]
  #drawn: number

  constructor(root: Schema, texts: readonly string[], turn: number) {
    this.#root = root
    this.#texts = texts
    // Far apart, so that values of one turn tell nothing of the next.
    this.#drawn = Math.imul(turn + 1, 0x9e37_79b1) >>> 0
  }

  of(given: Schema, depth: number): unknown {
    const schema = this.#resolved(given)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return this.#one(schema['enum'])
    const choice = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(choice)) return this.of(this.#one(choice as Schema[]), depth)
    const all = schema['allOf']
    if (Array.isArray(all)) return Object.assign({}, ...(all as Schema[]).map((each) => this.of(each, depth)))
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, depth)
      case 'string':
        return this.#text(schema)
      case 'integer':
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return this.#draw(2) === 0
      case 'null':
        return null
      default:
        // What a schema cannot say of itself: bytes, or a text.
        return this.#draw(2) === 0 ? new Uint8Array([0x78]) : this.#text({})
    }
  }

  #resolved(schema: Schema): Schema {
    const reference = schema['$ref']
    if (typeof reference !== 'string') return schema
    let found: unknown = this.#root
    for (const part of reference.replace(/^#\/?/, '').split('/')) {
      if (part !== '') found = (found as Schema)[part]
    }
    return found as Schema
  }

  /** Below the bound. Numerical Recipes' generator, of which the upper bits are good. */
  #draw(bound: number): number {
    this.#drawn = (Math.imul(this.#drawn, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#drawn / 2 ** 32) * bound)
  }

  #one<T>(choice: readonly T[]): T {
    return choice[this.#draw(choice.length)] as T
  }

  #object(schema: Schema, depth: number): unknown {
    const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
    const required = new Set((schema['required'] ?? []) as readonly string[])
    const isThere = (name: string): boolean => required.has(name) || (depth < depthMax && this.#draw(3) === 0)
    const members = Object.entries(properties).filter(([name]) => isThere(name))
    return Object.fromEntries(members.map(([name, member]) => [name, this.of(member, depth + 1)]))
  }

  #array(schema: Schema, depth: number): unknown {
    const { prefixItems, items, minItems = 0 } = schema as { prefixItems?: Schema[]; items?: Schema; minItems?: number }
    if (prefixItems !== undefined) return prefixItems.map((item) => this.of(item, depth + 1))
    const wanted = Math.max(minItems, depth < depthMax ? this.#draw(3) : 0)
    return items === undefined ? [] : Array.from({ length: wanted }, () => this.of(items, depth + 1))
  }

  #text(schema: Schema): string {
    const {
      pattern,
      minLength = 0,
      maxLength = Number.POSITIVE_INFINITY,
    } = schema as {
      pattern?: string
      minLength?: number
      maxLength?: number
    }
    const fits = this.#texts.filter((text) => {
      if (text.length < minLength || text.length > maxLength) return false
      return pattern === undefined || new RegExp(pattern, 'u').test(text)
    })
    return fits.length === 0 ? '' : this.#one(fits)
  }

  #number({ minimum = 0, exclusiveMinimum = -1, maximum = 2 }: Bounds): number {
    return Math.max(minimum, Math.floor(exclusiveMinimum) + 1, Math.min(maximum, this.#draw(3)))
  }
}

interface Bounds {
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

function typeOf({ type, properties }: Schema): unknown {
  if (Array.isArray(type)) return type.find((each) => each !== 'null')
  return type ?? (properties === undefined ? undefined : 'object')
}
