import type { Json } from '../../base/json.ts'
import type { HttpHeaders, HttpStream } from '../../env/http.ts'
import type { Failure } from '../../model/failure.ts'
import type { Behaviour } from '../../model/release.ts'
import type { AgentContext } from './agent-context.ts'
import type { CacheUse } from './cache-use.ts'
import type { CallOptions } from './call.ts'
import type { OperationFacts, PathRest, QueryParameter } from './operation.ts'
import type { Consistency, ReadMeta, ResultForms } from './reading.ts'

export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** One row of the route table. */
export interface Route {
  /**
   * `/v1/status/leader` matches exactly. A path that ends in `/` matches everything below it, and `rest` is what follows;
   * asked for without its slash it redirects to it.
   */
  readonly path: string
  /** What brought it: to an agent of a release without that the path is unknown. */
  readonly since?: Behaviour
  /** What follows a path that ends in `/`; such a path has it, and no other. */
  readonly rest?: PathRest
  /** Of a path that ends in `/`: only what is one segment below it and ends in this one; `rest` is that one segment. */
  readonly below?: string
  /** The largest body that it takes, in bytes, where that is more than others take (env/http, `bodyBytesMax`). */
  readonly bodyBytesMax?: number
  /** The line for a body that no request may carry (env/http, `bodyBytesMax`), where the endpoint's own limit is lower. */
  readonly tooLarge?: string
  readonly operations: Operations
  /**
   * Of a path that ends in `/`: what is asked for where `rest` ends so (`/execute`), which is then cut off. Such a route
   * answers verbs as the field does there: 405 does not name OPTIONS, and OPTIONS has a body.
   * Reference: http-conventions.md#prepared-query-methods.
   */
  readonly endings?: Readonly<Record<string, Operations>>
}

/** By method, in the order in which `Allow` names them. */
export type Operations = { readonly [Method in HttpMethod]?: Operation }

/** Made with `declared` (declared.ts), which holds the handler to the parameters that are named. */
export interface Operation extends OperationFacts {
  readonly query: readonly QueryParameter[]
  readonly handle: Handle<string>
}

/** `Name`: the parameters of the query that it may read. */
export type Handle<Name extends string = never> = (
  agent: AgentContext,
  request: RouteRequest<Name>,
) => Promise<RouteResponse>

export interface RouteRequest<Name extends string = never> {
  readonly method: HttpMethod
  /** What follows a prefix route's path, percent-decoded once, as a byte string. */
  readonly rest: string
  readonly query: QueryParameters<Name>
  readonly headers: HttpHeaders
  readonly body: Uint8Array
  readonly call: CallOptions
}

/**
 * Decoded query parameters, in the order sent. `?a` counts as present with the value ''. Only those can be read that the
 * operation declares (members are functions, not methods, for only then does the compiler see to it).
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
      /**
       * Identifies the value, for a caller that waits until it changes.
       * Reference: agent.md#hash-based-blocking.
       */
      readonly contentHash?: string
      /** Of a lock that was acquired: grows with every holder that the key has. */
      readonly fence?: number
      /** No index of the state: of a list of user events, in no order; of what this agent keeps. */
      readonly ownIndex?: bigint
      /** Of a read whose answer has no index. */
      readonly contact?: Pick<ReadMeta, 'knownLeader' | 'lastContactMs'>
    }
  /** JSON of a value that others get, too: it is made and encoded once. `form` names what of the value it shows, and how. */
  | {
      readonly kind: 'shared-json'
      readonly forms: ResultForms
      readonly form: string
      readonly json: () => Json
      readonly meta: ReadMeta
      readonly consistency?: Consistency
      readonly cache?: CacheUse
    }
  /** Goes on until its reader leaves; no content type. */
  | { readonly kind: 'stream'; readonly stream: HttpStream }
  /** No body and no content type. */
  | {
      readonly kind: 'empty'
      readonly status: number
      readonly meta?: ReadMeta
      /** What the caller should know though its request was taken: a line of ASCII for a header. */
      readonly warning?: string
    }
  | {
      readonly kind: 'text'
      readonly text: string
      readonly status: number
      readonly meta?: ReadMeta
      /** The content type, where it is more than text. */
      readonly type?: string
    }
  /** Bytes as they are; the type is sniffed as the field does, unless it is known. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly meta?: ReadMeta; readonly contentType?: string }
  /** `meta`: what the field says of some reads though they failed. */
  | { readonly kind: 'failure'; readonly failure: Failure; readonly meta?: ReadMeta }
