import type { Env } from '../../../src/env/env.ts'

export const answerWithinMs = 5_000

/** Where a question is asked, and the datacenter to name if it is not the agent's own. */
export interface AskedAt {
  readonly name: string
  readonly datacenter?: string
  /** The datacenter of what is asked for, as agents call it. */
  readonly of: string
  /** It has reached its leader for so long that it has no excuse for no answer. */
  readonly mustAnswer: boolean
}

/** The laws by which answers are judged. */
export type ReadLaw = 'E7' | 'N1' | 'Q2'

/** What an answer was found to be: with a fault, in words, or without one. */
export interface Verdict {
  readonly fault: string | undefined
  /** Another answer may be drawn otherwise, and says nothing of this one: it is not asked for. */
  readonly isFinal?: boolean
}

/** One question about a service, in one way, to one agent. */
export interface Question {
  readonly law: ReadLaw
  /** What is asked, in words. */
  readonly text: string
  /** All that the answer depends on, which is to stay as it is; undefined: nobody knows all of it. */
  basis(): string | undefined
  /** Asks, and judges; undefined: there was no answer, or none that can be judged. */
  ask(env: Env, host: string): Promise<Verdict | undefined>
}
