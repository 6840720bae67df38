import { checker, eventIn, type Judge } from '../checker.ts'

/** A server whose log failed stops in the same turn; the rest is for the turns that end the process. */
const stopsWithinUs = 100_000
/** A new segment is another matter until it has its name: its file is closed before anything else happens. */
const logFiles = /^[/]data[/](raft[/]log|mdb)([/][^/]+(?<![.]tmp))?$/

type Excuse = 'ending'

/** The operation of the log that failed. */
interface Failure {
  readonly what: string
  readonly atUs: number
  readonly event: number
  /** It was told to end before: it need not hurry. */
  readonly isEnding: boolean
}

/**
 * D4. After a failed write or sync it is unknown what is on the disk. So a server whose log failed counts nothing as
 * durable any more, and sends nothing that other servers could count: it stops at once.
 */
export class FailedLogs {
  readonly #judge: Judge<{ D4: Excuse }>
  readonly #nowUs: () => number
  readonly #failures = new Map<string, Failure>()
  /** Servers whose logs are open, and those among them that were told to end. */
  readonly #open = new Map<string, 'running' | 'ending'>()
  readonly #pausedUs = new Map<string, number>()

  constructor(judge: Judge<{ D4: Excuse }>, nowUs: () => number) {
    this.#judge = judge
    this.#nowUs = nowUs
  }

  began(node: string): void {
    this.#failures.delete(node)
    this.#open.delete(node)
    this.#pausedUs.delete(node)
  }

  opened(node: string): void {
    this.#open.set(node, 'running')
  }

  /** Of one whose log had failed before, it shows that it did not stop at once. */
  toldToEnd(node: string): void {
    const state = this.#open.get(node)
    if (state === undefined) return
    const failure = this.#failures.get(node)
    if (failure !== undefined && state === 'running') this.#judgeEnd(node, failure, 'is told to end, and still runs,')
    this.#open.set(node, 'ending')
  }

  failed(node: string, operation: string, path: string): void {
    const state = this.#open.get(node)
    if (state === undefined || this.#failures.has(node) || !logFiles.test(path)) return
    if (operation !== 'write' && operation !== 'sync') return
    const what = `${operation} of ${path}`
    this.#failures.set(node, { what, atUs: this.#nowUs(), event: eventIn(this.#judge), isEnding: state === 'ending' })
  }

  /** `what`: what the server does, as a clause. */
  acted(node: string, what: string): void {
    const failure = this.#failures.get(node)
    if (failure === undefined) return
    this.#judge.judged('D4')
    this.#judge.report('D4', `${node} ${what}, though a ${failure.what} failed`, [failure.event])
  }

  paused(node: string): void {
    this.#pausedUs.set(node, this.#nowUs())
  }

  /** What was due in the meantime is due from now on. */
  resumed(node: string): void {
    const failure = this.#failures.get(node)
    if (failure !== undefined && this.#pausedUs.delete(node)) {
      this.#failures.set(node, { ...failure, atUs: this.#nowUs() })
    }
  }

  died(node: string): void {
    const failure = this.#failures.get(node)
    if (failure !== undefined) this.#judgeEnd(node, failure, 'ends')
    this.began(node)
  }

  ended(): void {
    for (const [node, failure] of this.#failures) this.#judgeEnd(node, failure, 'still runs')
  }

  #judgeEnd(node: string, failure: Failure, what: string): void {
    if (failure.isEnding || this.#open.get(node) === 'ending') return this.#judge.excused('D4', 'ending')
    this.#judge.judged('D4')
    const sinceUs = (this.#pausedUs.get(node) ?? this.#nowUs()) - failure.atUs
    if (sinceUs <= stopsWithinUs) return
    const text = `${node} ${what} ${sinceUs / 1_000_000}s after a ${failure.what} failed`
    this.#judge.report('D4', text, [failure.event])
  }
}

export const failedLogs = checker({
  codes: {
    D4: {
      text: 'failed logs: a server whose log could not be written or synced counts and sends nothing more, and stops at once',
      sources: ['docs/architecture/formats.md#the-raft-log'],
      evidence: ['complaints', 'entries', 'acknowledgements', 'votes'],
      judges: ['failure of a log', 'failures of logs'],
      excuses: {
        ending: 'A server that was told to end when its log failed ends at its own pace; until its process is over.',
      },
    },
  },
  make: (run) => new FailedLogs(run, run.nowUs),
  takes: {
    'process began': (it, { node }) => it.began(node),
    'term found': (it, { node }) => it.opened(node),
    'process told to end': (it, { node }) => it.toldToEnd(node),
    'disk operation failed': (it, { node, operation, path }) => it.failed(node, operation, path),
    'message sent': (it, { node, message }) => it.acted(node, `sends a message '${message.kind}'`),
    'term written': (it, { node, term }) => it.acted(node, `counts its term ${term} as durable`),
    'log written': (it, { node, lastIndex }) => it.acted(node, `counts its entries up to ${lastIndex} as durable`),
    'process paused': (it, { node }) => it.paused(node),
    'process resumed': (it, { node }) => it.resumed(node),
    'process died': (it, { node }) => it.died(node),
  },
  ends: (it) => it.ended(),
})
