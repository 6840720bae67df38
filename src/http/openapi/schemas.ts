import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { JsonSchema } from '../../features/contract/json-schema.ts'

/** Schemas of the document: those that have a name of their own stand among its components, once. */
export class DocumentSchemas {
  readonly #named = new Map<string, Json>()

  /** By name. */
  get components(): JsonSchema {
    return Object.fromEntries(this.#named)
  }

  /** `io`: whether a value comes in or goes out. */
  of(shape: JsonSchema | z.ZodType, io: 'input' | 'output'): JsonSchema {
    if (!(shape instanceof z.ZodType)) return shape
    const made = z.toJSONSchema(shape, { io, unrepresentable: 'any', override: ({ jsonSchema }) => plain(jsonSchema) })
    const { $schema: _dialect, $defs: named = {}, ...schema } = made as { readonly $defs?: JsonSchema } & JsonSchema
    for (const [name, each] of Object.entries(named)) this.#named.set(name, pointed(each))
    return pointed(schema) as JsonSchema
  }
}

/** Takes out what says nothing about JSON: names for zod alone, frozen lists, the integers that a double holds. */
function plain(schema: Record<string, unknown>): void {
  delete schema['id']
  delete schema['readOnly']
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
}

/** References to where the document keeps what they name. */
function pointed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(pointed)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).map(([key, value]): [string, Json | undefined] => {
    if (key === '$ref' && typeof value === 'string') return [key, value.replace('#/$defs/', '#/components/schemas/')]
    return [key, value === undefined ? value : pointed(value)]
  })
  return Object.fromEntries(members)
}
