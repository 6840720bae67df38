import type { z } from 'zod'
import type { Json } from '../../base/json.ts'

/** The declaration of an operation: its handler reads nothing else, and the API's document shows all of it. */
export interface OperationFacts {
  /** One line. */
  readonly summary: string
  readonly access: OperationAccess
  /** Headers of the request that it reads, lower case. */
  readonly headers?: readonly RequestHeader[]
  readonly body?: RequestBody
  /** Answers besides the failures that every operation may return. */
  readonly answers: readonly DeclaredAnswer[]
}

/** The right that it requires of the caller's token, for people: `key:read`; or why it requires none. */
export type OperationAccess = { readonly asks: string } | { readonly open: string }

/** A parameter of the query string. */
export interface QueryParameter<Name extends string = string> {
  readonly name: Name
  readonly about: string
  /** `presence`: only its presence counts. `texts`: it may be repeated. */
  readonly value: 'presence' | 'texts' | z.ZodType
  readonly required?: true
}

export interface RequestHeader {
  readonly name: string
  readonly about: string
}

/** The part after a path that ends in `/`. */
export interface PathRest {
  readonly name: string
  readonly about: string
  /** It must not be logged: it is an ID that is a secret, or callers put secrets there by mistake. */
  readonly secret?: true
}

export interface RequestBody {
  readonly about: string
  /** Requests without it are refused. */
  readonly required: boolean
  /** Schema of a JSON body; absent: any bytes. */
  readonly json?: JsonSchema | z.ZodType
}

/** Headers that describe the answer; `?` marks optional ones. */
export type AnswerHeader =
  | 'index'
  | 'knownLeader'
  | 'lastContact'
  | 'effectiveConsistency'
  | 'contentHash'
  | 'fence'
  | 'warning'
  | 'cache'
  | 'age'

export interface DeclaredAnswer {
  readonly status: number
  readonly about: string
  /** Absent if there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>
  readonly headers?: readonly (AnswerHeader | `${AnswerHeader}?`)[]
}

/** A schema of JSON values. Source: JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [keyword: string]: Json }

/** The schema, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (type === undefined) return schema
  const types = typeof type === 'string' ? [type] : (type as readonly string[])
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] }
}
