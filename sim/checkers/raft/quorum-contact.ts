import type { Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { ServerTiming } from '../process-facts.ts'
import { type ConfigurationChanges, configurationChanges } from './configuration-changes.ts'
import { leaderAttention } from './leader-attention.ts'

/** Timers fire on whole steps of a clock. */
const roundingMs = 5

interface Leading {
  readonly term: Term
  /** From when silence counts: it was elected, or its process did nothing until then. */
  sinceMs: number
  /** When it last heard each server, or began to replicate to it. */
  readonly heardMs: Map<string, number>
  /** It was asked for a change that is not in its log yet. */
  isChanging: boolean
}

interface Process {
  readonly id: string
  readonly timing: ServerTiming
}

/**
 * R12. Thesis 6.2: a leader leads on only while a majority of its voters answers within its lease, by its own clock. It
 * is judged when it sends an append that wants an answer, and when it steps down, for whatever reason.
 */
export class QuorumContact {
  readonly #judge: Judge<{ readonly R12: 'change under way' }>
  readonly #configurations: Pick<ConfigurationChanges, 'votersOf' | 'newestOf'>
  readonly #processes = new Map<string, Process>()
  readonly #leading = new Map<string, Leading>()

  constructor(
    judge: Judge<{ readonly R12: 'change under way' }>,
    configurations: Pick<ConfigurationChanges, 'votersOf' | 'newestOf'>,
  ) {
    this.#judge = judge
    this.#configurations = configurations
  }

  began(node: string, id: string, timing: ServerTiming | undefined): void {
    this.#leading.delete(node)
    if (timing === undefined) this.#processes.delete(node)
    else this.#processes.set(node, { id, timing })
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, { term, sinceMs: this.#nowMs(node), heardMs: new Map(), isChanging: false })
  }

  steppedDown(node: string): void {
    const leading = this.#leading.get(node)
    if (leading !== undefined) this.#leadsUntilNow(node, leading)
    this.noLongerLeads(node)
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
  }

  resumed(node: string): void {
    const leading = this.#leading.get(node)
    if (leading !== undefined) leading.sinceMs = this.#nowMs(node)
  }

  changing(node: string, isChanging: boolean): void {
    const leading = this.#leading.get(node)
    if (leading !== undefined) leading.isChanging = isChanging
  }

  /** `before`: the voters until now. */
  changed(node: string, before: readonly string[]): void {
    const leading = this.#leading.get(node)
    for (const { id } of this.#configurations.newestOf(node)?.servers ?? []) {
      if (!before.includes(id)) leading?.heardMs.set(id, this.#nowMs(node))
    }
  }

  heard(node: string, from: string): void {
    this.#leading.get(node)?.heardMs.set(from, this.#nowMs(node))
  }

  sent(node: string, message: RaftMessage): void {
    const leading = this.#leading.get(node)
    if (leading === undefined || message.kind !== 'append-request' || message.round === 0) return
    if (message.term === leading.term) this.#leadsUntilNow(node, leading)
  }

  #nowMs(node: string): number {
    return this.#processes.get(node)?.timing.monoMs() ?? 0
  }

  #leadsUntilNow(node: string, leading: Leading): void {
    const process = this.#processes.get(node)
    const voters = this.#configurations.votersOf(node)
    if (process === undefined || voters === undefined) return
    this.#judge.judged('R12')
    const nowMs = this.#nowMs(node)
    const { leaderLeaseMs } = process.timing
    const times = voters.map((id) =>
      id === process.id ? nowMs : Math.max(leading.heardMs.get(id) ?? 0, leading.sinceMs),
    )
    times.sort((a, b) => b - a)
    const isLate = (newestFirst: readonly number[]): boolean =>
      nowMs - reached(newestFirst) > leaderLeaseMs + roundingMs
    if (!isLate(times)) return
    // In its memory one voter may have joined, or left, of which its disk does not know yet.
    if (leading.isChanging && !(isLate([nowMs, ...times]) && isLate(times.slice(0, -1)))) {
      return this.#judge.excused('R12', 'change under way')
    }
    const silentMs = (nowMs - reached(times)).toFixed(0)
    const late = `leads on ${silentMs} ms after a majority answered, longer than its lease of ${leaderLeaseMs} ms`
    this.#judge.report('R12', `${node}, leader of term ${leading.term}, ${late}`)
  }
}

/** The newest time that a majority has reached. `newestFirst` is sorted. */
function reached(newestFirst: readonly number[]): number {
  return newestFirst[Math.floor(newestFirst.length / 2)] ?? Number.POSITIVE_INFINITY
}

export const quorumContact = checker({
  codes: {},
  also: [leaderAttention],
  make: (run: CheckedRun & Judge<{ readonly R12: 'change under way' }>) =>
    new QuorumContact(run, run.of(configurationChanges)),
  takes: {
    'process began': (it, { node, id, timing }) => it.began(node, id, timing),
    'process died': (it, { node }) => it.noLongerLeads(node),
    'process resumed': (it, { node }) => it.resumed(node),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node, crashed }) => (crashed ? it.noLongerLeads(node) : it.steppedDown(node)),
    'change asked': (it, { node }) => it.changing(node, true),
    'change written': (it, { node }) => it.changing(node, false),
    'members changed': (it, { node, before }) => it.changed(node, before),
    'reply received': (it, { node, from }) => it.heard(node, from),
    'message sent': (it, { node, message }) => it.sent(node, message),
  },
})
