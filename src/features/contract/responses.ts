import type { Json } from '../../base/json.ts'
import type { Failure } from '../../model/failure.ts'
import type { CacheUse } from './cache-use.ts'
import type { Answer, Consistency } from './reading.ts'
import type { RouteResponse } from './route.ts'

export function failed(failure: Failure): RouteResponse {
  return { kind: 'failure', failure }
}

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
