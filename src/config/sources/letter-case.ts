import { z } from 'zod'
import type { ConfigDocument } from './document.ts'

/**
 * Keys are matched without case. Returns the document with each key in the schema's spelling, and with the original
 * places. Names that users choose stay as they are. Reference: configuration.md#fact-6.
 */
export function inOwnCase(document: ConfigDocument, schema: z.ZodType): ConfigDocument {
  const written = new Map<string, PropertyKey>()
  const value = folded(document.value, schema, [], written)
  if (written.size === 0) return document
  const placeOf = (path: readonly PropertyKey[]): string =>
    document.placeOf(path.map((part, at) => written.get(JSON.stringify(path.slice(0, at + 1))) ?? part))
  return { ...document, value, placeOf }
}

function folded(
  value: unknown,
  schema: z.ZodType,
  path: readonly PropertyKey[],
  written: Map<string, PropertyKey>,
): unknown {
  const type = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema
  if (type instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item, at) => folded(item, type.element as z.ZodType, [...path, at], written))
  }
  if (!(type instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value
  const shape = type.shape as Readonly<Record<string, z.ZodType>>
  const keys = new Set(Object.keys(value))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => {
      const own = ownName(key, shape, keys)
      const at = [...path, own]
      if (own !== key) written.set(JSON.stringify(at), key)
      const below = shape[own]
      return [own, below === undefined ? member : folded(member, below, at, written)]
    }),
  )
}

/** A key that stands there in both cases is left, and so refused as unknown. */
function ownName(key: string, shape: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): string {
  const lower = key.toLowerCase()
  return Object.hasOwn(shape, key) || !Object.hasOwn(shape, lower) || keys.has(lower) ? key : lower
}
