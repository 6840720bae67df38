import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Labels, Metrics, MetricsInterval } from '../../env/observe.ts'
import type { TelemetryView } from '../../features/contract/route-context.ts'
import { labelsOf } from '../../model/metric-labels.ts'
import { passes, type TelemetryConfig } from '../settings/telemetry-settings.ts'
import { Exposition, processText } from './exposition.ts'
import { LabelBounds } from './label-bounds.ts'
import { tcpLines, udpLines } from './line-senders.ts'
import { type MetricSink, plainLines, StatsdLines } from './statsd-lines.ts'

interface Telemetry extends TelemetryView, Closable {
  /** The agent's metrics, which replace those of its Env. */
  readonly metrics: Metrics
  /** Applies the filter; everything else changes only with a restart. */
  reload(config: TelemetryConfig): void
}

/** `nodeName`: the agent's own. */
export function openTelemetry(env: Env, config: TelemetryConfig, nodeName: string): Telemetry {
  return new ToldMetrics(env, config, nodeName)
}

/** Reference: telemetry.md#metrics-9. */
const runtimeIntervalMs = 1_000

/** Maximum number of names whose decision is cached; the code has far fewer. */
const namesMax = 8192

/** `full`: with the configured prefix. */
interface ReportedName {
  readonly name: string
  readonly full: string
}

class ToldMetrics implements Telemetry, Metrics {
  readonly prefix: string
  readonly node: Labels
  readonly #env: Env
  readonly #exposition: Exposition | undefined
  readonly #sinks: readonly MetricSink[]
  /** Prefix of each gauge, so that one sink can tell many agents apart. Reference: telemetry.md#metrics-6. */
  readonly #host: string
  readonly #process: Env['machine']['process']
  #runtimeTimer: Closable | undefined
  readonly #spelling: Pick<TelemetryConfig, 'names' | 'product'>
  /** What is reported of each metric, by its name in the code, so that each report costs one look-up. */
  readonly #reported = new Map<string, readonly ReportedName[]>()
  readonly #reportedGauges = new Map<string, readonly ReportedName[]>()
  /** Undefined: the release has no labels. */
  readonly #labels: LabelBounds | undefined
  #filter: TelemetryConfig['filter']
  #mayOpen = true

  constructor(env: Env, config: TelemetryConfig, nodeName: string) {
    this.#env = env
    this.#filter = config.filter
    this.prefix = config.prefix
    this.node = labelsOf(['node', nodeName])
    this.#labels = config.labels ? new LabelBounds(env.clock) : undefined
    this.#spelling = config
    const exposed = config.prometheusRetentionMs > 0
    this.#exposition = exposed ? new Exposition(env.clock, config.prometheusRetentionMs) : undefined
    const lines = linesOf(env, config)
    this.#sinks = this.#exposition === undefined ? lines : [...lines, this.#exposition]
    this.#process = env.machine.process
    this.#host = this.#sinks.length === 0 || config.disableHostname ? '' : `${env.machine.hostName}.`
    this.#tellRuntime()
  }

  get metrics(): Metrics {
    return this
  }

  exposition(): string | undefined {
    const text = this.#exposition?.text()
    return text === undefined || this.#process === undefined ? text : text + processText(this.#process())
  }

  reload(config: TelemetryConfig): void {
    this.#filter = config.filter
    this.#reported.clear()
    this.#reportedGauges.clear()
  }

  close(): void {
    this.#runtimeTimer?.close()
    for (const sink of this.#sinks) sink.close()
  }

  count(given: string, by = 1, unbounded?: Labels): void {
    const labels = this.#bounded(given, unbounded)
    for (const { name, full } of this.#namesOf(given)) {
      this.#env.metrics.count(name, by, labels)
      for (const sink of this.#sinks) sink.count(full, by, labels)
    }
  }

  gauge(given: string, value: number, unbounded?: Labels): void {
    const labels = this.#bounded(given, unbounded)
    const known = this.#reportedGauges.get(given)
    for (const { name, full } of known ?? this.#learn(this.#reportedGauges, given, this.#host)) {
      this.#env.metrics.gauge(name, value, labels)
      for (const sink of this.#sinks) sink.gauge(full, value, labels)
    }
  }

  sample(given: string, value: number, unbounded?: Labels): void {
    const labels = this.#bounded(given, unbounded)
    for (const { name, full } of this.#namesOf(given)) {
      this.#env.metrics.sample(name, value, labels)
      for (const sink of this.#sinks) sink.sample(full, value, labels)
    }
  }

  #bounded(given: string, labels: Labels | undefined): Labels | undefined {
    return labels === undefined ? undefined : this.#labels?.admitted(given, labels)
  }

  #namesOf(given: string): readonly ReportedName[] {
    return this.#reported.get(given) ?? this.#learn(this.#reported, given, '')
  }

  /** Names that the filter refuses are left out. Release: `metric-names-single`. */
  #learn(known: Map<string, readonly ReportedName[]>, given: string, host: string): readonly ReportedName[] {
    const names = spellingsOf(given, this.#spelling).flatMap((spelled) => {
      const name = `${host}${spelled}`
      const full = this.prefix === '' ? name : `${this.prefix}.${name}`
      return passes(this.#filter, full) ? [{ name, full }] : []
    })
    if (known.size >= namesMax) known.clear()
    known.set(given, names)
    return names
  }

  snapshot(): readonly MetricsInterval[] {
    return this.#env.metrics.snapshot()
  }

  #tellRuntime(): void {
    if (this.#process === undefined) return
    const { heapBytes, residentBytes, pendingWork, gcRuns, gcPauseNs, mayOpen } = this.#process()
    this.gauge('runtime.alloc_bytes', heapBytes)
    this.gauge('runtime.sys_bytes', residentBytes)
    this.gauge('runtime.num_goroutines', pendingWork)
    this.gauge('runtime.total_gc_runs', gcRuns)
    this.gauge('runtime.total_gc_pause_ns', gcPauseNs)
    if (mayOpen !== this.#mayOpen) this.#tellDescriptors(mayOpen)
    this.#runtimeTimer = this.#env.timers.after(runtimeIntervalMs, () => this.#tellRuntime())
  }

  /** The operating system drops connections for lack of a file descriptor, and reports nothing. */
  #tellDescriptors(mayOpen: boolean): void {
    this.#mayOpen = mayOpen
    const none = 'No file descriptor is left: new connections are dropped, and files cannot be opened. Raise ulimit -n'
    if (mayOpen) this.#env.log.write('info', 'agent', 'There are file descriptors again')
    else this.#env.log.write('error', 'agent', none)
  }
}

function linesOf(env: Env, { statsd, statsite, dogstatsd, dogstatsdTags }: TelemetryConfig): readonly MetricSink[] {
  const dog = { tags: dogstatsdTags, wholeCounts: true, leavesOut: env.machine.hostName }
  return [
    ...(statsd === undefined ? [] : [new StatsdLines(udpLines(env, statsd), plainLines)]),
    ...(statsite === undefined ? [] : [new StatsdLines(tcpLines(env, statsite), plainLines)]),
    ...(dogstatsd === undefined ? [] : [new StatsdLines(udpLines(env, dogstatsd), dog)]),
  ]
}

/**
 * Groups whose names once began with the product's name twice. Reference: telemetry.md#doubled-names,
 * releases.md#rel-1.0-12.
 */
const doubled = /^(?:acl|autopilot|catalog|fsm|health|http|kvs|leader|prepared-query|rpc|session|session_ttl|txn)\./

/** The beginning of those names in the code that have the product's name behind the prefix, too, as in the field. */
const ownMetrics = 'svc.'

/** The names under which a metric is reported. */
export function spellingsOf(
  name: string,
  { names, product }: Pick<TelemetryConfig, 'names' | 'product'>,
): readonly string[] {
  const own = name.startsWith(ownMetrics) ? `${product}.${name.slice(ownMetrics.length)}` : name
  if (names === 'single' || !doubled.test(name)) return [own]
  const old = `${product}.${name}`
  return names === 'both' ? [name, old] : [old]
}
