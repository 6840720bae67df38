import type { OfNode } from '../process-facts.ts'

/** The protocols of metrics that agents send. */
export type MetricProtocol = 'statsd' | 'statsite' | 'dogstatsd'

/** What a receiver of metrics and logs gets from agents. */
export interface TelemetryFacts {
  /** A datagram, or a piece of a stream. */
  readonly 'metrics arrived': OfNode & { readonly protocol: MetricProtocol; readonly text: string }
  /** The stream of an agent has ended. */
  readonly 'metrics stream ended': OfNode
  /** An agent has shown its metrics to Prometheus. `calledUs`: when it was asked. */
  readonly 'metrics shown': OfNode & { readonly text: string; readonly calledUs: number }
  /** A packet for a syslog daemon. */
  readonly 'log arrived': OfNode & { readonly text: string; readonly bytes: number }
  /**
   * A run of `logger` on the machine of an agent has handed these lines to the daemon. `isFailure`: it reports a
   * failure, so that all of its lines will come again.
   */
  readonly 'log handed over': OfNode & { readonly lines: readonly string[]; readonly isFailure: boolean }
}
