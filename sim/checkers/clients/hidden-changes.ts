import { checker, eventIn, type Judge } from '../checker.ts'
import type { StillAnswer } from './read-facts.ts'

/** The first answer to a query, with which all later ones are compared. */
interface First {
  readonly index: number
  readonly body: string
  readonly agent: string
  readonly event: number
}

/**
 * W6. The index of an answer is the one at which something last changed that the token may see, and a blocking query is
 * answered for nothing else. So clients whose tokens see nothing that changes get the same answer with the same index
 * for ever, from every agent, whatever happens to the rest of the state. Another index would reveal hidden changes, and
 * end waits without news.
 */
export class HiddenChanges {
  readonly #judge: Judge<{ W6: 'another state' }>
  readonly #first = new Map<string, First>()

  constructor(judge: Judge<{ W6: 'another state' }>) {
    this.#judge = judge
  }

  /** Another state is in place, or the end of the log was lost: indexes begin anew. */
  forget(): void {
    this.#judge.excused('W6', 'another state', this.#first.size)
    this.#first.clear()
  }

  answered({ query, token, agent, index, body }: StillAnswer): void {
    const scope = `${token} ${query}`
    const first = this.#first.get(scope)
    if (first === undefined) {
      this.#first.set(scope, { index, body, agent, event: eventIn(this.#judge) })
      return
    }
    this.#judge.judged('W6')
    const was = `${first.agent} told ${token} before, and nothing has changed that it may see`
    if (body !== first.body) {
      this.#judge.report('W6', `${query} at ${agent} shows ${body} instead of ${first.body}, as ${was}`, [first.event])
    } else if (index !== first.index) {
      this.#judge.report('W6', `${query} at ${agent} has index ${index} instead of ${first.index}, as ${was}`, [
        first.event,
      ])
    }
  }
}

export const hiddenChanges = checker({
  codes: {
    W6: {
      text: 'hidden changes: a client whose token sees nothing that changes gets one answer with one index from all agents',
      sources: ['docs/access-control.md#what-an-index-tells'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['answer', 'answers'],
      excuses: {
        'another state':
          'A restore, or a recovery that lost entries, gives all results a later index; the first answer after it is the measure again.',
      },
    },
  },
  make: (judge) => new HiddenChanges(judge),
  takes: {
    'still answered': (it, answer) => it.answered(answer),
    'state replaced': (it) => it.forget(),
    'entries lost': (it) => it.forget(),
  },
})
