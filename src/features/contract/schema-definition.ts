import type { z } from 'zod'

/** The result of a direct reader for a value that it does not accept. */
export const notRead: unique symbol = Symbol('not read')

/**
 * Returns what parsing the value by the schema returns, or `notRead` where only the schema itself can tell: because the
 * value is malformed, or of a kind that is left to the schema. It never accepts what the schema refuses.
 */
export type DirectReader = (value: unknown) => unknown

/** The parts of a schema's definition that `direct-reader.ts` reads, as zod holds them. */
export interface Definition {
  readonly type: string
  readonly coerce?: boolean
  /** Of the schema itself, as for `z.int()` and `z.custom`. */
  readonly check?: string
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[]
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  readonly items?: readonly z.ZodType[]
  readonly rest?: z.ZodType | null
  readonly options?: readonly z.ZodType[]
  readonly values?: readonly unknown[]
  readonly entries?: Readonly<Record<string, unknown>>
  readonly fn?: (value: unknown) => unknown
  readonly transform?: (value: unknown, payload: { value: unknown; issues: unknown[] }) => unknown
}

interface CheckDefinition {
  readonly check: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly minimum?: number
  readonly maximum?: number
  readonly length?: number
  readonly value?: number
  readonly inclusive?: boolean
  readonly fn?: (value: unknown) => unknown
}

export function definitionOf(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition
}

type Test = (value: unknown) => boolean

/** What a value must pass besides its type; undefined where one of the checks is not known here. */
export function testsOf({ checks = [] }: Definition): readonly Test[] | undefined {
  const tests = checks.map(({ _zod: { def } }) => testOf(def))
  return tests.every((test) => test !== undefined) ? tests : undefined
}

function testOf(check: CheckDefinition): Test | undefined {
  const { minimum = 0, maximum = 0, length = 0, value: bound = 0, inclusive, pattern, fn } = check
  switch (check.check) {
    case 'min_length':
      return (value) => lengthOf(value) >= minimum
    case 'max_length':
      return (value) => lengthOf(value) <= maximum
    case 'length_equals':
      return (value) => lengthOf(value) === length
    case 'string_format':
      if (check.format !== 'regex' || pattern === undefined || pattern.global || pattern.sticky) return undefined
      return (value) => typeof value === 'string' && pattern.test(value)
    case 'number_format':
      return check.format === 'safeint' ? Number.isSafeInteger : undefined
    case 'greater_than':
      return (value) => typeof value === 'number' && (value > bound || (inclusive === true && value === bound))
    case 'less_than':
      return (value) => typeof value === 'number' && (value < bound || (inclusive === true && value === bound))
    case 'custom':
      return fn && ((value) => fn(value) === true)
    default:
      return undefined
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN
}

export function passes(tests: readonly Test[], value: unknown): boolean {
  for (const test of tests) if (!test(value)) return false
  return true
}
