import { block, keysOf } from './key.ts'
import { bool, duration, text, texts } from './types.ts'

/** Keys of metrics. Reference: configuration.md#telemetry-keys. */

const key = keysOf('telemetry', { since: '0.6.4' })
const circonus = keysOf('telemetry', { waits: { for: 'nothing is sent to Circonus', never: true } })

export const telemetryKeys = {
  telemetry: block('Metrics: which, and who is told.', {
    circonus_api_app: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_api_token: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_api_url: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_broker_id: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_broker_select_tag: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_check_display_name: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_check_force_metric_activation: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_check_id: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_check_instance_id: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_check_search_tag: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_check_tags: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_submission_interval: circonus(text, 'Nothing is sent to Circonus.'),
    circonus_submission_url: circonus(text, 'Nothing is sent to Circonus.'),
    disable_hostname: key(bool, 'Names of gauges do not carry the host’s.', { default: false }),
    dogstatsd_addr: key(text, 'host:port of DogStatsD, over UDP.', { default: '' }),
    dogstatsd_tags: key(texts, 'Tags of all that it is told.', { default: [] }),
    filter_default: key(bool, 'Metrics that prefix_filter does not name are kept.', {
      default: true,
      since: '0.9.1',
      reload: true,
    }),
    metrics_prefix: key(text, 'Before the name of each metric.', { default: 'svc', since: '1.0.0' }),
    prefix_filter: key(texts, '+prefix or -prefix of metrics that are kept or not; the longest counts.', {
      default: [],
      since: '0.9.1',
      reload: true,
    }),
    prometheus_retention_time: key(duration, 'How long a metric is shown to Prometheus; 0: never.', {
      default: '0s',
      since: '1.1.0',
    }),
    statsd_address: key(text, 'host:port of statsd, over UDP.', { default: '' }),
    statsite_address: key(text, 'host:port of statsite, over TCP.', { default: '' }),
  }),
}
