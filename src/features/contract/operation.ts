import type { z } from 'zod'
import type { JsonSchema } from './json-schema.ts'

/** What is declared of an operation besides what it does: its handler reads no more, and the API's document tells no less. */
export interface OperationFacts {
  /** One line. */
  readonly summary: string
  readonly access: OperationAccess
  /** Headers of the request that it looks at, lower case. */
  readonly headers?: readonly RequestHeader[]
  readonly body?: RequestBody
  /** Besides the failures that any operation may end with. */
  readonly answers: readonly DeclaredAnswer[]
}

/** What it asks of the token of a call, for people: `key:read`; or why it asks nothing. */
export type OperationAccess = { readonly asks: string } | { readonly open: string }

/** A parameter of the query string. */
export interface QueryParameter<Name extends string = string> {
  readonly name: Name
  readonly about: string
  /** `presence`: it only counts that it is there. `texts`: as often as wanted. */
  readonly value: 'presence' | 'texts' | z.ZodType
  readonly required?: true
}

export interface RequestHeader {
  readonly name: string
  readonly about: string
}

/** What follows a path that ends in `/`. */
export interface PathRest {
  readonly name: string
  readonly about: string
  /** It is not to be logged: an ID that is a secret, or where callers put one by mistake. */
  readonly secret?: true
}

export interface RequestBody {
  readonly about: string
  /** Without it the request is refused. */
  readonly required: boolean
  /** Of JSON; bytes of any kind where there is none. */
  readonly json?: JsonSchema | z.ZodType
}

/** Headers that speak of the answer; with `?` it is not always there. */
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
  /** None where there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>
  readonly headers?: readonly (AnswerHeader | `${AnswerHeader}?`)[]
}
