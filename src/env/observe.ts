import type { Closable } from './async.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/**
 * Flat values only. Nothing drawn for the log's sake, no stack, no text of an engine's own errors: logs are part of a
 * simulated trace.
 */
export type Fields = Readonly<Record<string, string | number | bigint | boolean | undefined>>

export interface Log {
  /**
   * `topic` is the part of the agent that speaks (`raft`, `http`); `text` is one fixed clause, what varies is in
   * `fields`. `sampling`: an outside party can cause the line as often as it likes, see there.
   */
  write(level: LogLevel, topic: string, text: string, fields?: Fields, sampling?: Sampling): void
  /** Whether lines of this level go anywhere; ask before building costly fields. */
  enabled(level: LogLevel): boolean
  /**
   * Calls `use` with each line of this level and above, in its printed form, without line feed, whatever level the
   * agent's own log has. It may be called from within `write`.
   */
  follow(level: LogLevel, use: (line: string, parts: LogParts) => void): FollowedLog
}

/** The parts of a line. */
export interface LogParts {
  readonly level: LogLevel
  /** The line behind its time and its level: topic, text and fields. */
  readonly said: string
  /** When it was written, by the wall clock. */
  readonly wallMs: number
}

/**
 * Of lines with the same text, and the same `by` where it is given, one a second is written, with the number of earlier
 * dropped lines in the field `suppressed`. An outside party must not be able to choose `by`. `burst`: number of lines a
 * second that are written before any is dropped, for lines of which an operator needs every one as long as they are
 * few.
 */
export type Sampling = 'sampled' | { readonly by?: string; readonly burst?: number }

/** Each change of a member of a pool causes a line: those of a small pool that starts at once are all written. */
export const memberLines: Sampling = { burst: 32 }

export interface FollowedLog extends Closable {
  /** The last lines of that level and above that the agent's own log has had, the oldest first: a bounded number. */
  readonly recent: readonly string[]
}

/**
 * Sees what waits in one turn and goes on in a later one together with others, so that a reader of a trace can follow
 * what a batch does to each of its parts. Parts are known by their identity as objects.
 */
export interface Batches {
  waits(part: object): void
  /** What this turn does from here on, it does for these. */
  together(parts: readonly object[]): void
  /** This work is to be done soon. It may have been asked for before, and is done once for all of these times. */
  woken(work: object): void
  /** This work is done now, for every time that it was asked for since it was last done. */
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
