import type { Closable } from '../../env/async.ts'

/** Receives each value, by its full name. */
export interface MetricSink extends Closable {
  count(name: string, by: number): void
  gauge(name: string, value: number): void
  /** Usually in milliseconds. */
  sample(name: string, value: number): void
}
