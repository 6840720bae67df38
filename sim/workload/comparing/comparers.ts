import type { Env } from '../../../src/env/env.ts'
import { pause } from '../../../src/model/pause.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { drawnPause } from '../drawn-pause.ts'
import type { Crew } from '../kind.ts'
import type { Question, ReadLaw } from './question.ts'

/** The agents' state must have been unchanged for this long: caches are refreshed, followers have caught up. */
const stableMs = 1_000
/**
 * How often a question is repeated while its answers are wrong and the agents' state does not change, and the pause
 * before each repetition.
 */
const asksMax = 3
const againMs = 300

export interface ComparerPlan {
  readonly clients: number
  readonly everyMs: { readonly min: number; readonly max: number }
}

/** What comparers need of the run. */
export interface ComparerWorld {
  readonly draws: (nth: number) => Draws
  /** Undefined: no agent can be asked now. */
  readonly question: (draws: Draws) => Question | undefined
  readonly changed: (law: ReadLaw) => void
  readonly compared: (law: ReadLaw, what: string, fault: string | undefined) => void
}

/** Clients that request a service from any agent in every way, and compare each answer with the agents' local state. */
export class Comparers implements Crew {
  readonly #env: Env
  readonly #host: string
  readonly #plan: ComparerPlan
  readonly #world: ComparerWorld
  #round = 0
  #asked = 0

  constructor(env: Env, host: string, plan: ComparerPlan, world: ComparerWorld) {
    this.#env = env
    this.#host = host
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    for (let client = 0; client < this.#plan.clients; client++) this.#env.detach(this.#compareAll(this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #compareAll(round: number): Promise<void> {
    while (this.#round === round) {
      const draws = this.#world.draws(++this.#asked)
      await drawnPause(this.#env, draws, this.#plan.everyMs)
      const question = this.#round === round ? this.#world.question(draws) : undefined
      if (question !== undefined) await this.#compare(question, round)
    }
  }

  async #compare(question: Question, round: number): Promise<void> {
    const { law, text } = question
    const before = question.basis()
    // No question was asked, so no fact is excused.
    if (before === undefined) return
    let fault: string | undefined
    for (let nth = 1; nth <= asksMax; nth++) {
      await pause(this.#env, nth === 1 ? stableMs : againMs)
      if (this.#round !== round || question.basis() !== before) return
      const verdict = await question.ask(this.#env, this.#host)
      if (this.#round !== round) return
      if (verdict === undefined || question.basis() !== before) return this.#world.changed(law)
      fault = verdict.fault
      if (fault === undefined || verdict.isFinal === true) break
    }
    this.#world.compared(law, text, fault)
  }
}
