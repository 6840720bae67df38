import type { z } from 'zod'
import { isRecord } from '../../base/shape.ts'
import { unionReader } from './direct-unions.ts'
import { type Definition, type DirectReader, definitionOf, notRead, passes, testsOf } from './schema-definition.ts'

/**
 * Makes a reader of a schema once, for schemas by which each request and each command is checked: closures that test and
 * copy, without the records of issues that zod makes for each part of a value, and without the code that zod generates and
 * compiles when it first uses an object. What a schema can express and this does not know, such as default values, is left
 * to the schema, part by part. Results are not frozen.
 */
export function directReader(schema: z.ZodType): DirectReader {
  return ownReader(schema) ?? ((value) => bySchema(schema, value))
}

/** Undefined where the schema is left to itself. */
function ownReader(schema: z.ZodType): DirectReader | undefined {
  const { readDirectly } = schema as { readonly readDirectly?: (value: unknown) => unknown }
  if (readDirectly !== undefined) {
    return (value) => {
      const read = readDirectly(value)
      return read === undefined ? notRead : read
    }
  }
  const definition = definitionOf(schema)
  const tests = testsOf(definition)
  const isPlain = definition.coerce !== true && (definition.check === undefined || definition.type === 'custom')
  const reader = isPlain && tests !== undefined ? readerOf(definition) : undefined
  if (reader === undefined || tests === undefined || tests.length === 0) return reader
  return (value) => {
    const read = reader(value)
    return read !== notRead && passes(tests, read) ? read : notRead
  }
}

function bySchema(schema: z.ZodType, value: unknown): unknown {
  const parsed = parsedBy(schema, value)
  return parsed?.success === true ? parsed.data : notRead
}

/**
 * Parses the value by the schema itself; undefined where zod throws in place of refusing it: a schema with `.readonly()`
 * freezes even what it refuses, and an array of bytes cannot be frozen.
 */
export function parsedBy<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> | undefined {
  try {
    return schema.safeParse(value)
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}

function readerOf(definition: Definition): DirectReader | undefined {
  const { type, innerType, values, entries, fn } = definition
  switch (type) {
    case 'string':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return (value) => (typeof value === type ? value : notRead)
    case 'number':
      return (value) => (typeof value === 'number' && Number.isFinite(value) ? value : notRead)
    case 'null':
      return (value) => (value === null ? null : notRead)
    case 'unknown':
      return (value) => value
    case 'custom':
      return fn && ((value) => (fn(value) === true ? value : notRead))
    case 'literal':
      return oneOf(values ?? [])
    case 'enum':
      return oneOf(Object.values(entries ?? {}))
    case 'nullable':
      return innerType && orElse(null, directReader(innerType))
    case 'optional':
      return innerType && orElse(undefined, directReader(innerType))
    case 'readonly':
      return innerType && directReader(innerType)
    default:
      return composedReader(definition)
  }
}

function composedReader(definition: Definition): DirectReader | undefined {
  switch (definition.type) {
    case 'union':
      return unionReader(definition, ownReader)
    case 'array':
      return arrayReader(definition)
    case 'tuple':
      return tupleReader(definition)
    case 'object':
      return objectReader(definition)
    case 'pipe':
      return transformingReader(definition)
    default:
      return undefined
  }
}

function oneOf(values: readonly unknown[]): DirectReader {
  const all = new Set(values)
  return (value) => (all.has(value) ? value : notRead)
}

function orElse(besides: null | undefined, inner: DirectReader): DirectReader {
  return (value) => (value === besides ? value : inner(value))
}

/** What a schema reads is passed to a function that makes something else of it. */
function transformingReader({ in: first, out }: Definition): DirectReader | undefined {
  const transform = out === undefined ? undefined : definitionOf(out).transform
  if (first === undefined || transform === undefined) return undefined
  const inner = directReader(first)
  return (value) => {
    const read = inner(value)
    if (read === notRead) return notRead
    const payload = { value: read, issues: [] }
    const made = transform(read, payload)
    return payload.issues.length > 0 ? notRead : made
  }
}

function arrayReader({ element }: Definition): DirectReader | undefined {
  if (element === undefined) return undefined
  const inner = directReader(element)
  return (value) => {
    if (!Array.isArray(value)) return notRead
    const items: unknown[] = []
    for (const given of value) {
      const item = inner(given)
      if (item === notRead) return notRead
      items.push(item)
    }
    return items
  }
}

function tupleReader({ items = [], rest }: Definition): DirectReader | undefined {
  if (rest != null) return undefined
  const readers = items.map(directReader)
  return (value) => {
    if (!Array.isArray(value) || value.length !== readers.length) return notRead
    const read = readers.map((reader, at) => reader(value[at]))
    return read.includes(notRead) ? notRead : read
  }
}

interface Member {
  readonly key: string
  readonly read: DirectReader
  readonly isOptional: boolean
}

/** An object without further members, or (unless it is strict) with further ones, which are left out. */
function objectReader({ shape = {}, catchall }: Definition): DirectReader | undefined {
  const isStrict = catchall !== undefined && definitionOf(catchall).type === 'never'
  if ((catchall !== undefined && !isStrict) || Object.hasOwn(shape, '__proto__')) return undefined
  const members = Object.entries(shape).map(([key, schema]): Member => {
    return { key, read: directReader(schema), isOptional: definitionOf(schema).type === 'optional' }
  })
  const keys = new Set(members.map(({ key }) => key))
  return (value) => {
    if (!isRecord(value)) return notRead
    if (isStrict) for (const key in value) if (!keys.has(key)) return notRead
    const read: Record<string, unknown> = {}
    for (const { key, read: readMember, isOptional } of members) {
      // An absent member: only the schema knows what that means, unless it is plainly optional.
      const found = key in value ? readMember(value[key]) : isOptional ? undefined : notRead
      if (found === notRead) return notRead
      if (key in value) read[key] = found
    }
    return read
  }
}
