import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Report } from '../checker.ts'

/** Answers to earlier rounds than these are not judged any more. */
const roundsKept = 256

interface Answered {
  /** Appends of this round that came with entries, and without. */
  full: number
  empty: number
  answers: number
  /** When the first of them came. */
  readonly sinceUs: number
}

type Append = Extract<RaftMessage, { readonly kind: 'append-request' }>
type AppendAnswer = Extract<RaftMessage, { readonly kind: 'append-response' }>

/**
 * How often one server answers each append of its leaders: once. An append without entries gets a second answer if the
 * first, which only says that it was heard, would otherwise wait for the disk. So both do not leave at one moment,
 * unless the disk finishes just then.
 */
export class AppendAnswers {
  /** By leader, its rounds, oldest first. */
  readonly #leaders = new Map<string, Map<number, Answered>>()
  #writtenUs = 0

  /** Something became durable. */
  wrote(nowUs: number): void {
    this.#writtenUs = nowUs
  }

  received(from: string, { entries, round }: Append, nowUs: number): void {
    if (round === 0) return
    const rounds = this.#leaders.get(from) ?? new Map<number, Answered>()
    this.#leaders.set(from, rounds)
    const answered = rounds.get(round) ?? { full: 0, empty: 0, answers: 0, sinceUs: nowUs }
    rounds.set(round, answered)
    if (entries.length > 0) answered.full++
    else answered.empty++
    const [oldest] = rounds.keys()
    if (rounds.size > roundsKept && oldest !== undefined) rounds.delete(oldest)
  }

  /** The server sends an answer: `report` is called if it is one too many. */
  sent(node: string, to: string, { round }: AppendAnswer, nowUs: number, report: Report<'R13'>): void {
    const answered = this.#leaders.get(to)?.get(round)
    if (answered === undefined) return
    answered.answers++
    const { full, empty, answers, sinceUs } = answered
    if (answers > full + 2 * empty) {
      report('R13', `${node} answers ${full + empty} appends of round ${round} ${answers} times`)
    } else if (answers > full + empty && sinceUs === nowUs && this.#writtenUs !== nowUs) {
      report('R13', `${node} answers an append of round ${round} twice at one moment`)
    }
  }
}
