import type { z } from 'zod'
import { isRecord } from '../../base/shape.ts'
import { type Definition, type DirectReader, definitionOf, notRead } from './schema-definition.ts'

const simple: ReadonlySet<string> = new Set([
  'boolean',
  'bigint',
  'enum',
  'literal',
  'null',
  'number',
  'string',
  'undefined',
])

/**
 * The first option that accepts the value decides, as in zod. Only of options whose readers (`read`; undefined: left to
 * the schema) refuse exactly what the schema refuses, because one that is left to the schema could have been the first;
 * and of objects that a member tells apart.
 */
export function unionReader(
  { options = [] }: Definition,
  read: (schema: z.ZodType) => DirectReader | undefined,
): DirectReader | undefined {
  if (!options.every((option) => simple.has(definitionOf(option).type))) return taggedReader(options, read)
  const readers = options.map(read)
  if (!readers.every((reader) => reader !== undefined)) return undefined
  return (value) => {
    for (const reader of readers) {
      const found = reader(value)
      if (found !== notRead) return found
    }
    return notRead
  }
}

/** Only the option with the value's tag can accept it. */
function taggedReader(
  options: readonly z.ZodType[],
  read: (schema: z.ZodType) => DirectReader | undefined,
): DirectReader | undefined {
  const shapes = options.map(shapeOf)
  const tag = Object.keys(shapes[0] ?? {}).find((key) => shapes.every((shape) => tagsOf(shape?.[key]).length > 0))
  if (tag === undefined) return undefined
  const readers = new Map<unknown, DirectReader | undefined>()
  let count = 0
  for (const [at, option] of options.entries()) {
    const reader = read(option)
    for (const value of tagsOf(shapes[at]?.[tag])) {
      readers.set(value, reader)
      count++
    }
  }
  if (readers.size !== count) return undefined
  return (value) => {
    const reader = isRecord(value) ? readers.get(value[tag]) : undefined
    return reader === undefined ? notRead : reader(value)
  }
}

function shapeOf(schema: z.ZodType): Definition['shape'] {
  const { type, innerType, shape } = definitionOf(schema)
  if (type === 'readonly' && innerType !== undefined) return shapeOf(innerType)
  return type === 'object' ? shape : undefined
}

/** The values that a member must have one of. */
function tagsOf(schema: z.ZodType | undefined): readonly unknown[] {
  const definition = schema === undefined ? undefined : definitionOf(schema)
  return definition?.type === 'literal' ? (definition.values ?? []) : []
}
