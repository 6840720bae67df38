import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { expectedLine, keyOf, loggerLine, type SyslogPacket, syslogPacket } from './syslog-packet.ts'

/** Lines are gathered for up to a fifth of a second, and travel. */
const arrivesWithinUs = 1_000_000
/** A run that has failed is repeated after five seconds. */
const againWithinUs = 6_000_000
const lookEveryUs = 500_000

type Run = Pick<CheckedRun, 'nowUs' | 'network'> & Judge<{ O5: 'lost on the way' | 'process ended' }>

/** A line of the log that has not arrived yet. */
interface Waiting {
  readonly severity: number
  readonly atUs: number
}

/** A process that sends its log, in the order of its lines. */
interface Process {
  readonly waiting: Map<string, Waiting[]>
  /** Lines that arrived with a run that failed, and come again. */
  readonly again: Map<string, Waiting[]>
  /** When a run of `logger` last failed, in microseconds. */
  failedUs: number
  /** Since when it runs, in microseconds; undefined: it is paused. */
  awakeSinceUs: number | undefined
  hasStopped: boolean
}

/**
 * O5. Each line of an agent's log from the level info on reaches the syslog daemon once, soon, in one packet that a
 * daemon can read, under the agent's own host name.
 */
export class SentLog {
  readonly #run: Run
  readonly #processes = new Map<string, Process>()
  /** Processes that stopped in order, whose last lines may be on their way. */
  readonly #former = new Map<string, Process>()
  #nextLookUs = 0

  constructor(run: Run) {
    this.#run = run
  }

  began({ nodeName, syslog }: Pick<AgentConfig, 'nodeName' | 'syslog'>): void {
    if (syslog === undefined) this.#processes.delete(nodeName)
    else this.#processes.set(nodeName, newProcess(this.#run.nowUs()))
  }

  /** A process that stops in order sends its last lines before it ends. */
  stopped(node: string): void {
    const process = this.#processes.get(node)
    if (process !== undefined) process.hasStopped = true
  }

  ended(node: string): void {
    const process = this.#processes.get(node)
    if (process === undefined) return
    this.#processes.delete(node)
    // Of a run of `logger` that had failed it tries no further.
    if (process.hasStopped && process.failedUs + againWithinUs < this.#run.nowUs()) {
      this.#former.set(node, process)
      return
    }
    for (const waiting of process.waiting.values()) this.#run.excused('O5', 'process ended', waiting.length)
  }

  paused(node: string): void {
    const process = this.#processes.get(node)
    if (process !== undefined) process.awakeSinceUs = undefined
  }

  resumed(node: string): void {
    const process = this.#processes.get(node)
    if (process !== undefined) process.awakeSinceUs = this.#run.nowUs()
  }

  logged({ node, where, text }: Facts['text shown']): void {
    const process = where === 'log' ? this.#processes.get(node) : undefined
    const line = process === undefined ? undefined : expectedLine(text())
    if (process === undefined || line === undefined) return
    put(process.waiting, line.said, { severity: line.severity, atUs: this.#run.nowUs() })
  }

  arrived({ node, text, bytes }: Facts['log arrived']): void {
    if (!this.#processes.has(node) && !this.#former.has(node)) return
    this.#run.judged('O5')
    this.#take(node, syslogPacket(text, bytes))
  }

  /** Of the lines of a run that fails, some may arrive, and all are sent again. */
  handedOver({ node, lines, isFailure }: Facts['log handed over']): void {
    const process = this.#processes.get(node)
    if (process === undefined) return
    if (isFailure) process.failedUs = this.#run.nowUs()
    for (const text of lines) {
      this.#run.judged('O5')
      const line = this.#take(node, loggerLine(text, node))
      if (isFailure && line !== undefined) put(process.again, line.key, line)
    }
  }

  #take(node: string, packet: SyslogPacket | string): (Waiting & { readonly key: string }) | undefined {
    if (typeof packet === 'string') return this.#report(`a line of ${node} ${packet}`)
    if (packet.host !== node) return this.#report(`a packet of ${node} names the host ${packet.host}`)
    const key = keyOf(packet.said)
    const [former, process] = [this.#former.get(node), this.#processes.get(node)]
    const line = taken(process?.again, key) ?? taken(former?.waiting, key) ?? taken(process?.waiting, key)
    if (line === undefined)
      return this.#report(`${node} sends a line that it did not log, or twice: ${JSON.stringify(packet.said)}`)
    if (line.severity !== packet.severity)
      this.#report(`${node} sends a line of severity ${line.severity} as ${packet.severity}: ${packet.said}`)
    return { ...line, key }
  }

  lookAround(): void {
    const nowUs = this.#run.nowUs()
    if (nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    for (const [node, process] of [...this.#former, ...this.#processes]) this.#look(node, process, nowUs)
    for (const [node, { waiting }] of this.#former) if (waiting.size === 0) this.#former.delete(node)
  }

  #look(node: string, { waiting, awakeSinceUs, failedUs }: Process, nowUs: number): void {
    if (awakeSinceUs === undefined) return
    for (const [message, [first]] of waiting) {
      const owedUs = Math.max(first?.atUs ?? nowUs, awakeSinceUs, failedUs + againWithinUs)
      if (nowUs - owedUs <= arrivesWithinUs) continue
      waiting.delete(message)
      if (this.#run.network.loss > 0) {
        this.#run.excused('O5', 'lost on the way')
        continue
      }
      this.#run.judged('O5')
      this.#report(`a line that ${node} logged has not arrived within a second: ${JSON.stringify(message)}`)
    }
  }

  #report(message: string): undefined {
    this.#run.report('O5', message)
  }
}

function newProcess(nowUs: number): Process {
  const lines = { waiting: new Map(), again: new Map(), failedUs: Number.NEGATIVE_INFINITY }
  return { ...lines, awakeSinceUs: nowUs, hasStopped: false }
}

function put(lines: Map<string, Waiting[]>, key: string, line: Waiting): void {
  lines.set(key, [...(lines.get(key) ?? []), line])
}

/** The oldest line with this key, which is on its way no more. */
function taken(lines: Map<string, Waiting[]> | undefined, key: string): Waiting | undefined {
  const [line, ...others] = lines?.get(key) ?? []
  if (others.length > 0) lines?.set(key, others)
  else lines?.delete(key)
  return line
}

export const sentLog = checker({
  codes: {
    O5: {
      text: 'syslog: each line of the log of an agent reaches its syslog daemon once, soon, in a packet that it can read',
      sources: ['docs/reference/configuration.md#key-enable_syslog'],
      evidence: ['complaints'],
      judges: ['line of a log', 'lines of logs'],
      excuses: {
        'lost on the way': 'A datagram is sent without an answer, so that a network may lose it; until the end.',
        'process ended':
          'A process that is killed or loses power, or stops within six seconds of a failed run of logger, sends nothing more; until its machine runs another.',
      },
    },
  },
  make: (run) => new SentLog(run),
  takes: {
    'settings read': (it, { config }) => it.began(config),
    'process stopped': (it, { node }) => it.stopped(node),
    'process died': (it, { node }) => it.ended(node),
    'process paused': (it, { node }) => it.paused(node),
    'process resumed': (it, { node }) => it.resumed(node),
    'text shown': (it, fact) => it.logged(fact),
    'log arrived': (it, fact) => it.arrived(fact),
    'log handed over': (it, fact) => it.handedOver(fact),
    'network looked at': (it) => it.lookAround(),
  },
})
