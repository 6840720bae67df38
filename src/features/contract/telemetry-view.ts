/** What routes see of an agent's telemetry. */
export interface TelemetryView {
  /** Before the name of each metric; may be empty. */
  readonly prefix: string
  /** In the text format of Prometheus; undefined: nothing is kept for it. */
  exposition(): string | undefined
}
