import { type CheckedRun, checker, type Judge } from '../checker.ts'
import { type Membership, membership } from '../pool/membership.ts'
import type { EventListing, EventWait } from './event-facts.ts'

/** Clocks of agents differ from true time by at most this share. */
const clockAllowance = 0.06
/** Time in which an agent answers a request that need not wait. */
const answeredWithinUs = 1_000_000

/**
 * W5. The list of events waits for an index that differs from its client's. W4 cannot judge that, because this index is
 * not a number that grows.
 * 1. An answer before the wait is over has another index.
 * 2. Once another answer of the agent has shown that its list ends with another event, a waiting list is answered, too.
 */
export class EventWaits {
  readonly #run: Run
  readonly #pool: Membership
  /** Since when the agent is known to have a newer list; undefined: not known. */
  readonly #open = new Map<EventWait, number | undefined>()

  constructor(run: Run, pool: Membership) {
    this.#run = run
    this.#pool = pool
  }

  began(wait: EventWait): void {
    this.#open.set(wait, undefined)
  }

  /** The request has no answer, or none that can be judged. */
  gaveUp(wait: EventWait): void {
    this.#open.delete(wait)
  }

  listed({ node, boot, name, calledUs, wait, index }: EventListing): void {
    if (wait !== undefined) return this.#answered(wait, index)
    for (const [open, owedUs] of this.#open) {
      const isOther = open.node === node && open.boot === boot && open.name === name && open.index !== index
      if (isOther && owedUs === undefined && open.calledUs < calledUs) this.#open.set(open, this.#run.nowUs())
    }
  }

  #answered(wait: EventWait, index: string): void {
    const owedUs = this.#open.get(wait)
    this.#open.delete(wait)
    const nowUs = this.#run.nowUs()
    const { node, waitMs, calledUs } = wait
    const text = `a blocking query for events at ${node} waits beyond index ${wait.index}`
    if (nowUs - calledUs < waitMs * 1000 * (1 - clockAllowance)) {
      this.#run.judged('W5')
      if (index === wait.index) {
        this.#run.report(
          'W5',
          `${text}, but was answered with that index before its wait time of ${waitMs} ms was over`,
        )
      }
    }
    if (owedUs === undefined) return
    if (this.#pool.laws.weather.calmSinceUs > calledUs) {
      this.#run.excused('W5', 'disturbed')
      return
    }
    this.#run.judged('W5')
    if (nowUs - owedUs > answeredWithinUs) {
      const lateMs = ((nowUs - owedUs) / 1000).toFixed(0)
      this.#run.report('W5', `${text}, but was answered ${lateMs} ms after another answer had a newer index`)
    }
  }
}

type Run = Pick<CheckedRun, 'nowUs'> & Judge<{ W5: 'disturbed' }>

export const eventWaits = checker({
  codes: {
    W5: {
      text: 'event waits: a blocking query for events is answered when the last event of the list changes or after its wait, and not before',
      sources: ['docs/reference/events.md#index-of-the-event-list'],
      evidence: ['requests', 'events'],
      judges: ['answer of a list that waits', 'answers of lists that wait'],
      excuses: {
        disturbed:
          'How late an answer is, if links, clocks or processes were disturbed while it waited; lists that wait after that.',
      },
    },
  },
  make: (run) => new EventWaits(run, run.of(membership)),
  takes: {
    'event wait began': (it, wait) => it.began(wait),
    'event wait given up': (it, wait) => it.gaveUp(wait),
    'events listed': (it, listing) => it.listed(listing),
  },
})
