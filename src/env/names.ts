import type { Result } from '../base/result.ts'

export interface LookupFailure {
  /** `not-found`: there is no such name. `timeout`: no answer came in time. */
  readonly kind: 'not-found' | 'timeout' | 'io'
  readonly name: string
  /** The system's own words, for people. Never part of a decision. */
  readonly message: string
}

/** Resolves names of hosts as the machine does: by its own table, then by DNS. */
export interface Names {
  /** All addresses of a name, at least one, IPv4 and IPv6, in the order in which they are to be tried. */
  lookup(name: string, timeoutMs: number): Promise<Result<readonly string[], LookupFailure>>
}
