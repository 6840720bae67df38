import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { exposed } from './exposition-text.ts'
import { type MetricSums, metricLine, ReceivedSums, shortSum, totalOf } from './metric-sums.ts'
import type { MetricProtocol } from './telemetry-facts.ts'

/** A datagram fits into one packet of Ethernet. */
const datagramMax = 1_472
/** Lines wait for a tenth of a second, and travel; a connection is opened again after five seconds. */
const arrivesWithinUs = 1_000_000
/** Answers whose sums may still be on their way. */
const shownMax = 3

type Run = Pick<CheckedRun, 'nowUs' | 'network'> & Judge<{ O4: 'lost on the way' }>

interface Shown {
  readonly sums: MetricSums
  readonly atUs: number
}

/** What one process has sent and shown. */
interface Process {
  readonly protocols: readonly MetricProtocol[]
  readonly received: Record<MetricProtocol, ReceivedSums>
  /** The beginning of a line of which the rest has not arrived. */
  rest: string
  /** A stream of it has ended, maybe with lines on their way. */
  hasBroken: boolean
  shown: readonly Shown[]
}

/**
 * O4. Each line of metrics can be read by its receiver, and so can the text for Prometheus. An agent reports each value
 * to all of them, so what a receiver got before an answer is part of its sums, and its sums arrive soon.
 */
export class SentMetrics {
  readonly #run: Run
  readonly #processes = new Map<string, Process>()

  constructor(run: Run) {
    this.#run = run
  }

  began({ nodeName, telemetry }: Pick<AgentConfig, 'nodeName' | 'telemetry'>): void {
    const protocols = (['statsd', 'statsite', 'dogstatsd'] as const).filter((each) => telemetry[each] !== undefined)
    const received = { statsd: new ReceivedSums(), statsite: new ReceivedSums(), dogstatsd: new ReceivedSums() }
    this.#processes.set(nodeName, { protocols, received, rest: '', hasBroken: false, shown: [] })
  }

  arrived({ node, protocol, text }: Facts['metrics arrived']): void {
    const process = this.#processes.get(node)
    if (process === undefined) return
    this.#run.judged('O4')
    const isStream = protocol === 'statsite'
    if (!isStream && text.length > datagramMax) this.#report(`${node} sends a datagram of ${text.length} bytes`)
    const lines = (isStream ? process.rest + text : text).split('\n')
    const rest = lines.pop() ?? ''
    if (isStream) process.rest = rest
    else if (rest !== '') this.#report(`${node} sends a datagram that ends within a line: ${JSON.stringify(rest)}`)
    for (const line of lines) {
      const read = metricLine(line, protocol === 'dogstatsd')
      if (read === undefined) this.#report(`${node} sends to ${protocol} what it cannot read: ${JSON.stringify(line)}`)
      else process.received[protocol].take(read)
    }
  }

  /** A stream that is opened again begins with a new line. */
  streamEnded(node: string): void {
    const process = this.#processes.get(node)
    if (process === undefined) return
    process.rest = ''
    process.hasBroken = true
  }

  shown({ node, text, calledUs }: Facts['metrics shown']): void {
    const process = this.#processes.get(node)
    if (process === undefined) return
    this.#run.judged('O4')
    const read = exposed(text)
    if ('problem' in read) return this.#report(`Prometheus cannot read the metrics of ${node}: ${read.problem}`)
    for (const protocol of process.protocols) this.#compare(node, process, protocol, calledUs)
    process.shown = [...process.shown, { sums: read.sums, atUs: this.#run.nowUs() }].slice(-shownMax)
  }

  /** What an earlier answer had, of a process that has answered since, must have arrived. */
  #compare(node: string, process: Process, protocol: MetricProtocol, calledUs: number): void {
    const { received, shown } = process
    const [before] = shown
    if (shown.length < shownMax || before === undefined || before.atUs + arrivesWithinUs > calledUs) return
    const mayBeLost = this.#run.network.loss > 0 || (protocol === 'statsite' && process.hasBroken)
    if (mayBeLost) return this.#run.excused('O4', 'lost on the way')
    this.#run.judged('O4')
    const hasTags = protocol === 'dogstatsd'
    const [got, told] = [received[protocol], before.sums].map((sums) => (hasTags ? sums : totalOf(sums)))
    if (got === undefined || told === undefined) return
    const short = shortSum(got, told, (name) => name)
    if (short !== undefined) this.#report(`${protocol} did not get what ${node} showed to Prometheus: ${short}`)
  }

  #report(message: string): void {
    this.#run.report('O4', message)
  }
}

export const sentMetrics = checker({
  codes: {
    O4: {
      text: 'metrics: receivers can read what an agent sends and shows of its metrics, and get all of it soon',
      sources: ['docs/reference/telemetry.md#metrics-5'],
      evidence: ['requests', 'complaints'],
      judges: ['datagram, answer or sum', 'datagrams, answers and sums'],
      excuses: {
        'lost on the way':
          'Lines are sent without an answer, so those may be missing that a network or a broken connection lost; until the end.',
      },
    },
  },
  make: (run) => new SentMetrics(run),
  takes: {
    'settings read': (it, { config }) => it.began(config),
    'metrics arrived': (it, fact) => it.arrived(fact),
    'metrics stream ended': (it, { node }) => it.streamEnded(node),
    'metrics shown': (it, fact) => it.shown(fact),
  },
})
