import { block, keysOf } from './key.ts'
import { bool, duration, text, texts } from './types.ts'

/** Keys of metrics. Reference: configuration.md#telemetry-keys. */

const key = keysOf('telemetry', { since: '0.6.4' })
const circonus = keysOf('telemetry', { waits: { for: 'nothing is sent to Circonus', never: true } })

export const telemetryKeys = {
  telemetry: block('Metrics: which are kept, and where they are sent.', {
    circonus_api_app: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_api_token: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_api_url: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_broker_id: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_broker_select_tag: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_check_display_name: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_check_force_metric_activation: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_check_id: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_check_instance_id: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_check_search_tag: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_check_tags: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_submission_interval: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    circonus_submission_url: circonus(text, 'Accepted, without effect: nothing is sent to Circonus.'),
    disable_hostname: key(bool, 'The names of gauges do not carry the host name.', { default: false }),
    dogstatsd_addr: key(text, 'host:port of a DogStatsD server, which is sent metrics over UDP.', { default: '' }),
    dogstatsd_tags: key(texts, 'Tags of everything that is sent to DogStatsD.', { default: [] }),
    filter_default: key(bool, 'Metrics that prefix_filter does not name are kept.', {
      default: true,
      since: '0.9.1',
      reload: true,
    }),
    metrics_prefix: key(text, 'The first part of the name of each metric.', { default: 'svc', since: '1.0.0' }),
    prefix_filter: key(
      texts,
      'Metrics to keep (+prefix) and to leave out (-prefix); the longest matching prefix counts.',
      {
        default: [],
        since: '0.9.1',
        reload: true,
      },
    ),
    prometheus_retention_time: key(
      duration,
      'How long a metric is shown to Prometheus after its last change; 0s: metrics are not offered to Prometheus.',
      {
        default: '0s',
        since: '1.1.0',
      },
    ),
    statsd_address: key(text, 'host:port of a statsd server, which is sent metrics over UDP.', { default: '' }),
    statsite_address: key(text, 'host:port of a statsite server, which is sent metrics over TCP.', { default: '' }),
  }),
}
