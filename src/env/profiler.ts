import type { Result } from '../base/result.ts'

/**
 * What a profile shows of the process: where CPU time went, where the memory in use and all memory was allocated while
 * it was taken, what asynchronous work is pending, by kind, and what the platform did, as a list of events.
 */
export type ProfileKind = 'cpu' | 'heap' | 'allocations' | 'pending' | 'trace'

/** `busy`: another one is being taken, or too many were of late. */
export type ProfileFailure = { readonly kind: 'busy' | 'too-large' | 'failed'; readonly message: string }

/** Profiles of the process that an agent runs in. */
export interface Profiler {
  /** The program and its arguments, a NUL between any two; values that may be secrets are hidden. */
  commandLine(): string
  /**
   * Takes one profile. `cpu`, `heap`, `allocations` and `pending`: pprof's format (profile.proto), compressed by gzip.
   * `trace`: trace events as JSON. All but `pending` watch the process for `durationMs`; less if `until` settles first,
   * as when the caller has gone.
   */
  take(kind: ProfileKind, durationMs: number, until: Promise<void>): Promise<Result<Uint8Array, ProfileFailure>>
}
