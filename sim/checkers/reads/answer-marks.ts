import { checker } from '../checker.ts'
import { type Reach, rareStates } from '../rare-states.ts'
import type { TimelyAnswer } from './timely-facts.ts'

export const answerMarks = rareStates({
  'older answer cached': 'an agent took an answer into its cache that was older than the one there',
})

/** Observes rare states of the caches of agents. */
class AnswerMarks {
  readonly #reach: Reach<keyof typeof answerMarks.marks>
  /** By agent, the index of the last answer to each cached question. */
  readonly #last = new Map<string, Map<string, number>>()

  constructor(reach: Reach<keyof typeof answerMarks.marks>) {
    this.#reach = reach
  }

  answered({ agent, service, of, kept, index }: TimelyAnswer): void {
    if (kept === undefined || index === undefined) return
    const ofAgent = this.#last.get(agent) ?? new Map<string, number>()
    this.#last.set(agent, ofAgent)
    const question = `${of} ${service}`
    if (kept.hit === 'MISS' && index < (ofAgent.get(question) ?? 0)) this.#reach('older answer cached')
    ofAgent.set(question, index)
  }

  /** Its cache is lost with it. */
  died(agent: string): void {
    this.#last.delete(agent)
  }
}

export const markedAnswers = checker({
  codes: {},
  make: ({ of }) => new AnswerMarks(of(answerMarks)),
  takes: {
    'service told': (it, answer) => it.answered(answer),
    'process died': (it, { node }) => it.died(node),
  },
})
