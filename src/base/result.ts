/**
 * Expected failures are values: a function that can fail for a reason its caller can meet returns a `Result`.
 * What only a bug can cause throws from `invariant` instead.
 */
export type Result<T, E> = Ok<T> | Err<E>

export interface Ok<T> {
  readonly ok: true
  readonly value: T
}

export interface Err<E> {
  readonly ok: false
  readonly error: E
}

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value }
}

export function err<E>(error: E): Err<E> {
  return { ok: false, error }
}

/** Success without a value. One shared object. */
export const done: Ok<undefined> = { ok: true, value: undefined }
