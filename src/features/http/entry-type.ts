import type { z } from 'zod'
import type { FieldType, ObjectType } from '../../filter/fields.ts'

/** The schema as far as it is read here. Source: zod 4, `_zod.def`. */
interface SchemaDefinition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly valueType?: z.ZodType
  readonly element?: z.ZodType
  readonly values?: readonly unknown[]
}

/**
 * What a filter can select of entries whose JSON has this schema: the schema of an answer is the one source of its
 * selectors. Members that no filter can judge are opaque.
 */
export function entryTypeOf(schema: z.ZodObject): ObjectType {
  return { kind: 'object', members: membersOf(schema.shape) }
}

function membersOf(shape: Readonly<Record<string, z.ZodType>>): ReadonlyMap<string, FieldType> {
  return new Map(Object.entries(shape).map(([name, member]) => [name, fieldTypeOf(member)]))
}

function fieldTypeOf(schema: z.ZodType): FieldType {
  const { type, innerType, shape, valueType, element, values } = schema._zod.def as unknown as SchemaDefinition
  if (innerType !== undefined) return fieldTypeOf(innerType)
  if (shape !== undefined) return { kind: 'object', members: membersOf(shape) }
  if (valueType !== undefined) return { kind: 'map', value: fieldTypeOf(valueType) }
  if (element !== undefined) return { kind: 'list', item: fieldTypeOf(element) }
  if (type === 'string' || type === 'enum' || typeof values?.[0] === 'string') return { kind: 'text' }
  if (type === 'boolean' || typeof values?.[0] === 'boolean') return { kind: 'flag' }
  return { kind: type === 'number' ? 'number' : 'opaque' }
}
