import type { Term } from '../../../src/model/log-position.ts'
import type { ServerTiming } from '../process-facts.ts'

/** The last message of a leader to a server. */
export interface LeaderWord {
  readonly term: Term
  /** By the server's own clock. */
  readonly atMs: number
  readonly atUs: number
  readonly event: number
  /** For how long it binds, by the server's own clock. */
  readonly bindsMs: number
  /** An earlier process of the server received it. */
  readonly isFormer: boolean
}

/** The clock of the next process may be this much faster than true time. */
const clockAllowance = 0.1

/**
 * The last messages of leaders to processes that have ended. A message may have been acknowledged if its term is on the
 * disk, and then a lease may rest on it. So it binds the next process, too: for a whole timeout, because that process
 * remembers no silences.
 */
export class FormerWords {
  readonly #words = new Map<string, LeaderWord>()

  /** A process has ended. If it heard no leader, the message before it counts. */
  keep(node: string, word: LeaderWord | undefined): void {
    if (word !== undefined) this.#words.set(node, word)
  }

  /** The message that binds the next process, which has found this term on its disk: a later term ends its promise. */
  binding(node: string, term: Term, timing: ServerTiming, nowUs: number): LeaderWord | undefined {
    const word = this.#words.get(node)
    if (word?.term !== term) return undefined
    const atMs = timing.monoMs() - (nowUs - word.atUs) / 1000
    return { ...word, atMs, bindsMs: timing.heartbeatTimeoutMs * (1 - clockAllowance), isFormer: true }
  }
}
