import type { Closable } from './async.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/**
 * Flat values only. They contain nothing drawn for the log alone, no stack, and no text of an engine's own errors,
 * because logs are part of a simulated trace.
 */
export type Fields = Readonly<Record<string, string | number | bigint | boolean | undefined>>

export interface Log {
  /**
   * `topic` is the part of the agent that logs (`raft`, `http`); `text` is one fixed clause, and everything variable is
   * in `fields`. `sampling` is for lines that an outside party can cause as often as it likes.
   */
  write(level: LogLevel, topic: string, text: string, fields?: Fields, sampling?: Sampling): void
  /** Whether lines of this level are written at all; ask before building costly fields. */
  enabled(level: LogLevel): boolean
  /**
   * Calls `use` with each line of this level and above, in its printed form, without line feed, whatever the level of
   * the agent's own log. It may be called from within `write`.
   */
  follow(level: LogLevel, use: (line: string, parts: LogParts) => void): FollowedLog
}

/** The parts of a line. */
export interface LogParts {
  readonly level: LogLevel
  /** The line without its time and level: topic, text and fields. */
  readonly said: string
  /** The wall clock when it was written. */
  readonly wallMs: number
}

/**
 * Of lines with the same text, and the same `by` where it is given, one a second is written, with the number of earlier
 * dropped lines in the field `suppressed`. An outside party must not be able to choose `by`. `burst`: number of lines a
 * second that are written before any is dropped, for lines of which an operator needs every one as long as they are
 * few.
 */
export type Sampling = 'sampled' | { readonly by?: string; readonly burst?: number }

/**
 * For lines that each change of a member of a pool causes: those of a small pool that starts at once are all written.
 */
export const memberLines: Sampling = { burst: 32 }

export interface FollowedLog extends Closable {
  /** The latest lines of that level and above in the agent's own log, the oldest first; their number is bounded. */
  readonly recent: readonly string[]
}

/**
 * Observes work that waits in one turn and is done in a later turn together with other work, so that a reader of a
 * trace can follow what a batch does for each of its parts. Parts are known by their identity as objects.
 */
export interface Batches {
  waits(part: object): void
  /** From here on, this turn works for these parts. */
  together(parts: readonly object[]): void
  /** This work is due soon. It may have been requested before, and is done once for all requests. */
  woken(work: object): void
  /** This work is done now, for every request since it was last done. */
  goesOn(work: object): void
}

/** Tells series of one metric apart. Made by `labelsOf`, which bounds them. */
export interface Labels {
  readonly pairs: readonly (readonly [name: string, value: string])[]
  /** Equal for equal pairs, and for no others: `;service=web;tag=v1`. */
  readonly key: string
}

/** Names without the prefix `svc.`, words joined by dots: `raft.apply`. */
export interface Metrics {
  count(name: string, by?: number, labels?: Labels): void
  gauge(name: string, value: number, labels?: Labels): void
  /** A duration in milliseconds, or another sampled quantity. */
  sample(name: string, value: number, labels?: Labels): void
  /** The intervals of the last minute, the oldest first; the last one may still be running. */
  snapshot(): readonly MetricsInterval[]
}

/** Statistics of one metric's values in one interval. */
export interface Aggregate {
  readonly name: string
  readonly labels: Labels | undefined
  readonly count: number
  readonly sum: number
  readonly sumOfSquares: number
  readonly min: number
  readonly max: number
  readonly lastWallMs: number
}

export interface Gauge {
  readonly name: string
  readonly labels: Labels | undefined
  readonly value: number
}

/** Each list in the order of names and then of labels. */
export interface MetricsInterval {
  /** Wall clock, a multiple of `metricsIntervalMs`. */
  readonly startMs: number
  readonly gauges: readonly Gauge[]
  readonly counters: readonly Aggregate[]
  readonly samples: readonly Aggregate[]
  /** Values that were dropped because there were too many names. */
  readonly dropped: number
}

/** Reference: telemetry.md#metrics-1. */
export const metricsIntervalMs = 10_000
