import type { LogTrace } from '../../checkers/refusal-facts.ts'

/** The parts of a request that are new each time. */
export interface SettledParts {
  /** A UUID that only this request has: in its body or its path. */
  readonly mark: string
  /** Another one. */
  readonly other: string
  /** The ID in the answer to the last request that was made first; empty if there was none. */
  readonly made: string
}

export interface PlainRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly target: string
  readonly body?: string
}

export type Making = (parts: SettledParts) => PlainRequest

/** One entry of the table: a request with one right answer. */
export interface Settled {
  /** What is wrong with the request, or why it must be accepted. */
  readonly about: string
  /** Made before the request, each with another mark; all must succeed. */
  readonly first?: Making | readonly Making[]
  readonly request: Making
  readonly status: number
  /** A part of the answer's body. */
  readonly says: RegExp
  readonly leaves: LogTrace
}

type More = Partial<Pick<Settled, 'first' | 'leaves'>>

/** A request that must be refused with this status. */
export function refused(about: string, request: Making, status: number, says: RegExp, more: More = {}): Settled {
  return { about, request, status, says, leaves: 'nothing', ...more }
}

/** A request that must be accepted. */
export function accepted(about: string, request: Making, says: RegExp, more: More = {}): Settled {
  return { about, request, status: 200, says, leaves: 'effect', ...more }
}

export function get(target: string): PlainRequest {
  return { method: 'GET', target }
}

export function put(target: string, body?: unknown): PlainRequest {
  return { method: 'PUT', target, ...bodyOf(body) }
}

export function post(target: string, body?: unknown): PlainRequest {
  return { method: 'POST', target, ...bodyOf(body) }
}

export function remove(target: string): PlainRequest {
  return { method: 'DELETE', target }
}

function bodyOf(body: unknown): Pick<PlainRequest, 'body'> {
  if (body === undefined) return {}
  return { body: typeof body === 'string' ? body : JSON.stringify(body) }
}
