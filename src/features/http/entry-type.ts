import { z } from 'zod'
import type { FieldType, ObjectType } from '../../filter/fields.ts'

/**
 * What a filter can select of entries whose JSON has this schema: the schema of an answer is the one source of its
 * selectors. Members that no filter can judge are opaque.
 */
export function entryTypeOf(schema: z.ZodObject): ObjectType {
  return { kind: 'object', members: membersOf(schema.shape) }
}

function membersOf(shape: Readonly<Record<string, unknown>>): ReadonlyMap<string, FieldType> {
  return new Map(Object.entries(shape).map(([name, member]) => [name, fieldTypeOf(member)]))
}

function fieldTypeOf(schema: unknown): FieldType {
  const inner = wrapped(schema)
  if (inner !== undefined) return fieldTypeOf(inner)
  if (schema instanceof z.ZodObject) return { kind: 'object', members: membersOf(schema.shape) }
  if (schema instanceof z.ZodRecord) return { kind: 'map', value: fieldTypeOf(schema.valueType) }
  if (schema instanceof z.ZodArray) return { kind: 'list', item: fieldTypeOf(schema.element) }
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return { kind: 'text' }
  if (schema instanceof z.ZodBoolean) return { kind: 'flag' }
  if (schema instanceof z.ZodNumber) return { kind: 'number' }
  const one: unknown = schema instanceof z.ZodLiteral ? [...schema.values][0] : undefined
  return { kind: typeof one === 'string' ? 'text' : typeof one === 'boolean' ? 'flag' : 'opaque' }
}

/**
 * The schema inside a wrapper that only says of the same value that it may be absent, may be null, or must not be
 * changed.
 */
function wrapped(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  return isWrapper ? schema.unwrap() : undefined
}
