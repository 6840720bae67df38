import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { features } from '../../../src/agent/assembly/features.ts'
import { directReader, parsedBy } from '../../../src/features/contract/direct-reader.ts'
import { bytes, readBy, textPairs, uint64 } from '../../../src/features/contract/fields.ts'
import { notRead } from '../../../src/features/contract/schema-definition.ts'
import { fc } from '../../fast-check.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 300 : 4

interface Definition {
  readonly type: string
  readonly shape?: Record<string, z.ZodType>
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly items?: readonly z.ZodType[]
  readonly options?: readonly z.ZodType[]
  readonly values?: readonly unknown[]
  readonly entries?: Record<string, unknown>
}

const scalars = fc.constantFrom<unknown>('', 'a', 'web', '0'.repeat(36), 0, 1, -1, 7.5, 2 ** 53, 5n, true, false, null)
const anything = fc.oneof(scalars, fc.constantFrom<unknown>(undefined, [], {}, new Uint8Array(2), ['a'], { a: 1 }))

/** Values of about the schema's shape: mostly right ones, with a wrong part, a missing or a further member now and then. */
function near(schema: z.ZodType): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: right(schema) }, { weight: 1, arbitrary: anything })
}

function right(schema: z.ZodType): fc.Arbitrary<unknown> {
  const given = schema._zod.def as unknown as Definition
  switch (given.type) {
    case 'string':
      return fc.constantFrom('', 'a', 'web', 'ÿ', '0'.repeat(36))
    case 'number':
      return fc.constantFrom(0, 1, 80, -1, 0.5, Number.NaN)
    case 'bigint':
      return fc.constantFrom(0n, 5n)
    case 'boolean':
      return fc.boolean()
    case 'literal':
      return fc.constantFrom(...(given.values ?? []))
    case 'enum':
      return fc.constantFrom(...Object.values(given.entries ?? {}))
    case 'nullable':
      return fc.oneof(fc.constant(null), near(given.innerType as z.ZodType))
    case 'optional':
    case 'default':
      return fc.oneof(fc.constant(undefined), near(given.innerType as z.ZodType))
    case 'readonly':
      return near(given.innerType as z.ZodType)
    case 'pipe':
      return near(given.in as z.ZodType)
    case 'array':
      return fc.array(near(given.element as z.ZodType), { maxLength: 3 })
    case 'tuple':
      return fc.tuple(...(given.items ?? []).map(near))
    case 'union':
      return fc.oneof(...(given.options ?? []).map(near))
    case 'object':
      return rightObject(given.shape ?? {})
    default:
      return anything
  }
}

function rightObject(shape: Record<string, z.ZodType>): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, near(schema)]))
  const optional = Object.keys(shape).filter((key) => shape[key]?._zod.def.type === 'optional')
  const required = Object.keys(shape).filter((key) => !optional.includes(key))
  const whole = fc.record(members, { requiredKeys: required })
  const more = whole.map((value) => ({ ...value, further: 1 }))
  return fc.oneof({ weight: 8, arbitrary: whole }, { weight: 1, arbitrary: more })
}

const schemas = features.flatMap(({ commands = [], endpoints = [] }) => [
  ...commands.map(({ kind, body }) => [kind, body as z.ZodType] as const),
  ...endpoints.map(({ method, args }) => [method, args as z.ZodType] as const),
])

describe('reading by a schema without the machinery of the schema', () => {
  it('gives what parsing gives, for the arguments and commands of every feature', () => {
    let direct = 0
    let accepted = 0
    for (const [name, schema] of schemas) {
      const read = directReader(schema)
      fc.assert(
        fc.property(near(schema), (value) => {
          const found = read(value)
          const parsed = parsedBy(schema, value)
          if (parsed?.success === true) accepted++
          if (found === notRead) return
          direct++
          expect(parsed?.success, `${name} accepts what the schema refuses`).toBe(true)
          expect(found, name).toStrictEqual(parsed?.data)
        }),
        { numRuns: runs },
      )
    }
    // Else nothing would have been compared.
    expect(accepted).toBeGreaterThan(schemas.length / 2)
    expect(direct).toBeGreaterThan(accepted * 0.97)
  })

  it.each<[string, z.ZodType, unknown]>([
    ['a further member of a strict object', z.strictObject({ a: z.string() }), { a: 'x', b: 1 }],
    ['a missing member', z.object({ a: z.string() }), {}],
    ['a number that is none', z.number(), Number.NaN],
    ['a fraction', z.number().int(), 1.5],
    ['a text that is too short', z.string().min(2), 'a'],
    ['a list that is too long', z.array(z.string()).max(1), ['a', 'b']],
    ['a list in place of an object', z.object({}), []],
    ['one more item than a pair has', z.tuple([z.string(), z.string()]), ['a', 'b', 'c']],
    ['text in place of bytes', bytes, 'x'],
    ['what a refinement of a list refuses', z.array(z.string()).refine((list) => list.length === 1), []],
    [
      'a text of another option',
      z.union([z.object({ k: z.literal('a'), v: z.string() }), z.object({ k: z.literal('b') })]),
      { k: 'a' },
    ],
    ['what a refinement refuses', z.string().refine((text) => text === 'x'), 'y'],
  ])('does not accept %s', (_, schema, value) => {
    expect(directReader(schema)(value)).toBe(notRead)
    expect(readBy(schema, value).ok).toBe(false)
  })

  it('refuses bytes in place of a list that zod would freeze, which throws', () => {
    const lists = z.object({ list: z.array(z.string()).readonly() })
    const value = { list: new Uint8Array(2) }
    expect(() => lists.safeParse(value)).toThrow(TypeError)
    expect(readBy(lists, value)).toEqual({ ok: false, error: 'malformed' })
  })

  it.each<[string, z.ZodType, unknown, unknown]>([
    ['leaves out further members', z.object({ a: z.string() }), { a: 'x', b: 1 }, { a: 'x' }],
    ['keeps an absent member absent', z.object({ a: z.string().optional() }), {}, {}],
    ['keeps a member that is there', z.object({ a: z.string().optional() }), { a: undefined }, { a: undefined }],
    [
      'sorts pairs, which the schema does',
      z.object({ a: textPairs }),
      {
        a: [
          ['b', ''],
          ['a', ''],
        ],
      },
      {
        a: [
          ['a', ''],
          ['b', ''],
        ],
      },
    ],
    ['makes whole numbers of 64 bits, which the schema does', z.array(uint64), [5], [5n]],
    ['fills in what the schema fills in', z.object({ a: z.string().default('x') }), {}, { a: 'x' }],
  ])('%s', (_, schema, value, expected) => {
    expect(readBy(schema, value)).toStrictEqual({ ok: true, value: expected })
  })
})
