import type { Endpoint } from '../../env/net.ts'

export type MetricNames = 'single' | 'doubled' | 'both'

/** Where metrics go, and which. Reference: configuration.md#telemetry-keys, telemetry.md#aggregation-and-output. */
export interface TelemetryConfig {
  /** Prefix of all names. */
  readonly prefix: string
  /** The product's name, with which those names begin that `names` doubles. */
  readonly product: string
  /** Names of some groups begin with the product's name twice, or are reported in both spellings. */
  readonly names: MetricNames
  /** Whether series of one metric are told apart by labels. Release: `metric-labels`. */
  readonly labels: boolean
  /** Whether names of gauges lack the host name, which they otherwise carry except in this agent's own answers. */
  readonly disableHostname: boolean
  readonly filter: MetricFilter
  /** How long a series is shown to Prometheus after its last value; 0: no metrics for Prometheus. */
  readonly prometheusRetentionMs: number
  /** Receivers; the host may be a name, which is looked up when lines are sent. */
  readonly statsd: Endpoint | undefined
  readonly statsite: Endpoint | undefined
  readonly dogstatsd: Endpoint | undefined
  readonly dogstatsdTags: readonly string[]
}

export const defaultTelemetry: Omit<TelemetryConfig, 'prefix' | 'product'> = {
  names: 'single',
  labels: true,
  disableHostname: false,
  filter: { allowed: [], blocked: [], otherwise: true },
  prometheusRetentionMs: 0,
  statsd: undefined,
  statsite: undefined,
  dogstatsd: undefined,
  dogstatsdTags: [],
}

/** Which metrics are kept, by prefixes of their full names. Reference: telemetry.md#metrics-7. */
interface MetricFilter {
  readonly allowed: readonly string[]
  readonly blocked: readonly string[]
  /** Whether a name without a matching rule is kept. */
  readonly otherwise: boolean
}

/** The rule with the longest matching prefix decides; of two equal prefixes, the blocking rule wins. */
export function passes({ allowed, blocked, otherwise }: MetricFilter, name: string): boolean {
  const block = longest(blocked, name)
  const allow = longest(allowed, name)
  if (block < 0 && allow < 0) return otherwise
  return allow > block
}

/** Length of the longest matching prefix; -1 if none matches. */
function longest(prefixes: readonly string[], name: string): number {
  let found = -1
  for (const prefix of prefixes) if (prefix.length > found && name.startsWith(prefix)) found = prefix.length
  return found
}
