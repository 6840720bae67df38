import type { Json } from '../../base/json.ts'

/** A schema of JSON values. Source: JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [keyword: string]: Json }

/** The schema, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (type === undefined) return schema
  const types = typeof type === 'string' ? [type] : (type as readonly string[])
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] }
}
