import type { Closable } from '../../env/async.ts'

/** Receivers of each value, by its full name. */
export interface MetricSink extends Closable {
  count(name: string, by: number): void
  gauge(name: string, value: number): void
  /** In milliseconds, as a rule. */
  sample(name: string, value: number): void
}
