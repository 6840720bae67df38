/** An agent's telemetry as routes see it. */
export interface TelemetryView {
  /** Prefix of all metrics; may be empty. */
  readonly prefix: string
  /** In the text format of Prometheus; undefined: no metrics are kept for it. */
  exposition(): string | undefined
}
