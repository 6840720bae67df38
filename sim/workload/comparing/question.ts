import type { Env } from '../../../src/env/env.ts'

export const answerWithinMs = 5_000

/** Where a question is asked, and the datacenter to name if it is not the agent's own. */
export interface AskedAt {
  readonly name: string
  readonly datacenter?: string
  /** The datacenter of the question, as its agents name it. */
  readonly of: string
  /** The agent has been in contact with its leader for so long that it must answer. */
  readonly mustAnswer: boolean
}

/** The laws by which answers are judged. */
export type ReadLaw = 'E7' | 'N1' | 'Q2'

/** The verdict on an answer: its fault as text, if it has one. */
export interface Verdict {
  readonly fault: string | undefined
  /** Another answer may be drawn differently, and says nothing about this one, so the question is not repeated. */
  readonly isFinal?: boolean
}

/** One question about a service, in one way, to one agent. */
export interface Question {
  readonly law: ReadLaw
  /** The question as text. */
  readonly text: string
  /** Everything on which the answer depends, and which must not change; undefined: not all of it is known. */
  basis(): string | undefined
  /** Asks, and judges; undefined: there was no answer, or none that can be judged. */
  ask(env: Env, host: string): Promise<Verdict | undefined>
}
