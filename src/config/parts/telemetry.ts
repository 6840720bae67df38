import type { TelemetryConfig } from '../../agent/settings/telemetry-settings.ts'
import { formatDuration } from '../../base/duration.ts'
import { type Endpoint, endpointText } from '../../env/net.ts'
import { hasBehaviour, newestRelease, type Release } from '../../model/release.ts'
import type { FileConfig } from '../schema.ts'
import { milliseconds, type Reports, receiverOf, type Shown } from './values.ts'

/** Malformed rules of the filter are reported by `filterWarnings`. Reference: configuration.md#telemetry-keys. */
export function telemetryOf(
  file: FileConfig,
  defaults: TelemetryConfig,
  { problem, warn }: Reports,
  release: Release = newestRelease,
): TelemetryConfig {
  const given = file.telemetry ?? {}
  const rules = given.prefix_filter ?? []
  const rulesWith = (sign: string): readonly string[] =>
    rules.filter((rule) => rule.startsWith(sign)).map((rule) => rule.slice(1))
  // With a malformed address under one of the first two keys the field starts, and sends nothing there. With one under
  // the last key it does not start.
  const receiver = (key: 'statsd_address' | 'statsite_address' | 'dogstatsd_addr'): Endpoint | undefined =>
    receiverOf(`telemetry.${key}`, given[key], key === 'dogstatsd_addr' ? problem : warn)
  return {
    prefix: given.metrics_prefix ?? defaults.prefix,
    product: defaults.product,
    names: metricNames(file, release),
    labels: hasBehaviour(release, 'metric-labels'),
    disableHostname: given.disable_hostname ?? defaults.disableHostname,
    filter: { allowed: rulesWith('+'), blocked: rulesWith('-'), otherwise: given.filter_default ?? true },
    prometheusRetentionMs: milliseconds(given.prometheus_retention_time, defaults.prometheusRetentionMs),
    statsd: receiver('statsd_address'),
    statsite: receiver('statsite_address'),
    dogstatsd: receiver('dogstatsd_addr'),
    dogstatsdTags: given.dogstatsd_tags ?? [],
  }
}

function metricNames(file: FileConfig, release: Release): TelemetryConfig['names'] {
  if (!hasBehaviour(release, 'metric-names-single')) return 'doubled'
  return file.past?.deprecatedMetricNames === true ? 'both' : 'single'
}

/** A malformed rule is ignored, with a warning. Reference: configuration.md#prefix_filter. */
export function filterWarnings(file: FileConfig): readonly string[] {
  return (file.telemetry?.prefix_filter ?? []).flatMap((rule) => {
    if (rule === '') return ['Cannot have empty filter rule in prefix_filter']
    if (rule.startsWith('+') || rule.startsWith('-')) return []
    return [`Filter rule must begin with either '+' or '-': ${JSON.stringify(rule)}`]
  })
}

/** The settings as `/v1/agent/self` shows them: together under `Telemetry`, as in the field, and each as a flat key. */
export function shownTelemetry(telemetry: TelemetryConfig): Shown {
  const at = (endpoint: Endpoint | undefined): string => (endpoint === undefined ? '' : endpointText(endpoint))
  const together: Shown = {
    AllowedPrefixes: telemetry.filter.allowed,
    BlockedPrefixes: telemetry.filter.blocked,
    DisableHostname: telemetry.disableHostname,
    DogstatsdAddr: at(telemetry.dogstatsd),
    DogstatsdTags: telemetry.dogstatsdTags,
    FilterDefault: telemetry.filter.otherwise,
    MetricsPrefix: telemetry.prefix,
    MetricNames: telemetry.names,
    PrometheusRetentionTime: formatDuration(telemetry.prometheusRetentionMs),
    StatsdAddr: at(telemetry.statsd),
    StatsiteAddr: at(telemetry.statsite),
  }
  const flat = Object.entries(together).map(([key, value]) => [`Telemetry${key}`, value])
  return { Telemetry: { ...together, ...circonus }, ...Object.fromEntries(flat) }
}

/** The agent sends nothing there: see divergence 35. */
const circonus: Shown = Object.fromEntries(
  [
    ...['APIApp', 'APIToken', 'APIURL', 'BrokerID', 'BrokerSelectTag', 'CheckDisplayName'],
    ...['CheckForceMetricActivation', 'CheckID', 'CheckInstanceID', 'CheckSearchTag', 'CheckTags'],
    ...['SubmissionInterval', 'SubmissionURL'],
  ].map((key) => [`Circonus${key}`, '']),
)
