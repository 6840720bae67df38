export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** Flat values only. Nothing drawn for the log's sake, no stack, no text of an engine's own errors: logs are part of a simulated trace. */
export type Fields = Readonly<Record<string, string | number | bigint | boolean | undefined>>

export interface Log {
  /** `topic` is the part of the agent that speaks (`raft`, `http`); `text` is one fixed clause, what varies is in `fields`. */
  write(level: LogLevel, topic: string, text: string, fields?: Fields): void
  /** Whether lines of this level go anywhere; ask before building costly fields. */
  enabled(level: LogLevel): boolean
}

/** Names without the prefix `svc.`, words joined by dots: `raft.apply`. */
export interface Metrics {
  count(name: string, by?: number): void
  gauge(name: string, value: number): void
  /** A duration in milliseconds, or another sampled quantity. */
  sample(name: string, value: number): void
}
