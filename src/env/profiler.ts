import type { Result } from '../base/result.ts'

/**
 * The content of a profile of the process: where CPU time was spent, where the memory in use and all memory was
 * allocated meanwhile, which asynchronous work is pending, by kind, and what the platform did, as a list of events.
 */
export type ProfileKind = 'cpu' | 'heap' | 'allocations' | 'pending' | 'trace'

/** `busy`: another profile is being taken, or too many were taken recently. */
export type ProfileFailure = { readonly kind: 'busy' | 'too-large' | 'failed'; readonly message: string }

/** Profiles of the process that an agent runs in. */
export interface Profiler {
  /** The program and its arguments, a NUL between any two; values that may be secrets are hidden. */
  commandLine(): string
  /**
   * Takes one profile. `cpu`, `heap`, `allocations` and `pending`: pprof's format (profile.proto), compressed by gzip.
   * `trace`: trace events as JSON. All but `pending` observe the process for `durationMs`, or for a shorter time if
   * `until` settles first, for example because the caller has disconnected.
   */
  take(kind: ProfileKind, durationMs: number, until: Promise<void>): Promise<Result<Uint8Array, ProfileFailure>>
}
