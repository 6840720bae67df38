import type { Json } from '../../base/json.ts'
import type { HttpHeaders, HttpStream } from '../../env/http.ts'
import type { Failure } from '../../model/failure.ts'
import { firstChange } from '../../model/log-position.ts'
import type { Behaviour } from '../../model/release.ts'
import type { CallOptions } from './call.ts'
import type { OperationFacts, PathRest, QueryParameter } from './operation.ts'
import type { Answer, Consistency, Forms, ReadMeta } from './reading.ts'

export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE'

/**
 * One row of the route table. `Context` is what its operations need of the agent that answers. Without it, a route can be
 * listed and described but not called.
 */
export interface Route<Context = never> {
  /**
   * `/v1/status/leader` matches exactly. A path that ends in `/` matches everything below it, and `rest` is the part
   * after it; a request without the final slash is redirected.
   */
  readonly path: string
  /** The behaviour that introduced it: for an agent of an earlier release the path is unknown. */
  readonly since?: Behaviour
  /** Describes the part after a path that ends in `/`, and is present exactly there. */
  readonly rest?: PathRest
  /** For a path that ends in `/`: matches exactly one segment below it, followed by this one; `rest` is the former. */
  readonly below?: string
  /** Maximum number of bytes of its body, if that is more than usual (env/http, `bodyBytesMax`). */
  readonly bodyBytesMax?: number
  /**
   * The error for a body that exceeds the general limit (env/http, `bodyBytesMax`), where the endpoint's own limit is
   * lower.
   */
  readonly tooLarge?: string
  readonly operations: Operations<Context>
  /**
   * For a path that ends in `/`: operations for a `rest` with this ending (`/execute`), which is cut off. Such a route
   * answers methods as the field does there: 405 does not name OPTIONS, and OPTIONS has a body. Reference:
   * http-conventions.md#prepared-query-methods.
   */
  readonly endings?: Readonly<Record<string, Operations<Context>>>
}

/** By method, in the order of the `Allow` header. */
export type Operations<Context = never> = { readonly [Method in HttpMethod]?: Operation<Context> }

/** Made with `declared` (declared.ts), which limits the handler to the declared parameters. */
export interface Operation<Context = never> extends OperationFacts {
  readonly query: readonly QueryParameter[]
  readonly handle: Handle<string, Context>
}

/** `Name` lists the query parameters that it may read. */
export type Handle<Name extends string, Context> = (
  context: Context,
  request: RouteRequest<Name>,
) => Promise<RouteResponse>

export interface RouteRequest<Name extends string = never> {
  readonly method: HttpMethod
  /** The part after a prefix route's path, percent-decoded once, as a byte string. */
  readonly rest: string
  readonly query: QueryParameters<Name>
  /** A function, because most requests' headers are never read. */
  readonly headers: () => HttpHeaders
  readonly body: Uint8Array
  readonly call: CallOptions
}

/**
 * Decoded query parameters, in the order sent. `?a` counts as present with the value ''. Only declared ones can be read
 * (members are functions, not methods, because only then does the compiler check that).
 */
export interface QueryParameters<Name extends string = string> {
  readonly has: (name: Name) => boolean
  /** The first value, or undefined. */
  readonly get: (name: Name) => string | undefined
  readonly all: (name: Name) => readonly string[]
  /** Names and values, sorted by name, encoded again. */
  readonly encoded: () => string
}

export type RouteResponse =
  | {
      readonly kind: 'json'
      readonly value: Json
      readonly meta?: ReadMeta
      readonly status?: number
      readonly consistency?: Consistency
      readonly cache?: CacheUse
      /** Identifies the value, for a caller that waits for a change. Reference: agent.md#hash-based-blocking. */
      readonly contentHash?: string
      /** For an acquired lock: greater for every new holder of the key. */
      readonly fence?: number
      /** An index that is not of the state: of a list of user events, without an order, or of the agent's own data. */
      readonly ownIndex?: bigint
      /** For a read whose answer has no index. */
      readonly contact?: Pick<ReadMeta, 'knownLeader' | 'lastContactMs'>
    }
  /**
   * JSON of a value that other callers get, too: it is encoded once. `form` names what of the value it shows, and how.
   */
  | {
      readonly kind: 'shared-json'
      readonly forms: Forms
      readonly form: string
      readonly json: () => Json
      readonly meta: ReadMeta
      readonly consistency?: Consistency
      readonly cache?: CacheUse
    }
  /** Continues until its reader disconnects; no content type. */
  | { readonly kind: 'stream'; readonly stream: HttpStream }
  /** No body and no content type. */
  | {
      readonly kind: 'empty'
      readonly status: number
      readonly meta?: ReadMeta
      /** A warning about an accepted request: a line of ASCII for a header. */
      readonly warning?: string
    }
  | {
      readonly kind: 'text'
      readonly text: string
      readonly status: number
      readonly meta?: ReadMeta
      /** The content type, if it is not plain text. */
      readonly type?: string
    }
  /** Raw bytes; the content type is sniffed as the field does, unless it is given. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly meta?: ReadMeta; readonly contentType?: string }
  /** `meta` is what the field reports for some failed reads. */
  | { readonly kind: 'failure'; readonly failure: Failure; readonly meta?: ReadMeta }

/**
 * Whether a read was answered from the agent's cache; with `hit`, for how many seconds the answer may be out of date.
 */
export interface CacheUse {
  readonly hit: boolean
  readonly ageS: number
}

/** An operation whose handler can read only the parameters that it declares: reading others does not compile. */
export function declared<Context, const Parameters extends readonly QueryParameter[] = readonly []>(
  operation: OperationFacts & {
    readonly query?: Parameters
    readonly handle: Handle<Parameters[number]['name'], Context>
  },
): Operation<Context> {
  return { ...operation, query: operation.query ?? [] }
}

/** The names of declared parameters. */
export type NamesOf<Parameters extends readonly QueryParameter[]> = Parameters[number]['name']

export function failed(failure: Failure): RouteResponse {
  return { kind: 'failure', failure }
}

/**
 * A read that failed after the state was asked: its answer has the headers of one that found nothing. Reference:
 * http-conventions.md#headers-of-failed-reads.
 */
export function failedRead(failure: Failure, meta: ReadMeta = nothingRead): RouteResponse {
  return { kind: 'failure', failure, meta }
}

const nothingRead: ReadMeta = { index: firstChange, knownLeader: false, lastContactMs: 0 }

export function badRequest(message: string): RouteResponse {
  return { kind: 'failure', failure: { kind: 'bad-request', message } }
}

/**
 * JSON of an answer to a read, encoded once for all callers on one agent that get the same value. `form` names
 * everything besides the value that determines the JSON.
 */
export function answered<T>(
  { value, meta, forms }: Answer<T>,
  form: string,
  json: (value: T) => Json,
  said: { readonly consistency?: Consistency; readonly cache?: CacheUse } = {},
): RouteResponse {
  if (forms === undefined) return { kind: 'json', value: json(value), meta, ...said }
  return { kind: 'shared-json', forms, form, json: () => json(value), meta, ...said }
}
