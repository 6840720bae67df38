import { type CheckedRun, checker, type Judge } from '../checker.ts'
import { type Membership, membership } from '../pool/membership.ts'
import type { EventLook, FiredEvent } from './event-facts.ts'

type Excuse = 'disturbed' | 'by exchange'

/**
 * Maximum share of agents that gossip may miss. With five members, each of which sends to four drawn of the others, it
 * misses one in several hundred. Judged only after enough looks.
 */
const missedShareMax = 0.05
const missedOf = 40

/**
 * V1. A user event reaches every agent whose filters match. The argument for when:
 * 1. Each agent that receives it sends it on `retransmitLimit` times, to members drawn at random. That nearly always
 *    reaches a small pool within a few rounds (`spreadWithinMs`).
 * 2. An agent that gossip missed learns of it when it exchanges its state with another, which it starts once per
 *    interval (`exchangedWithinMs`). The other has the event, unless gossip missed two agents at once.
 */
export class EventSpread {
  readonly #run: Run
  readonly #pool: Membership
  /** Events fired while every agent was a member. */
  readonly #toWhole = new Set<FiredEvent>()
  #looked = 0
  readonly #missed: string[] = []

  constructor(run: Run, pool: Membership) {
    this.#run = run
    this.#pool = pool
  }

  began(event: FiredEvent): void {
    if (this.#pool.wholeSinceUs() <= event.calledUs) this.#toWhole.add(event)
  }

  looked({ event, firedUs, node, isThere, after }: EventLook): void {
    if (!this.#toWhole.has(event) || this.#pool.wholeSinceUs() > event.calledUs) {
      this.#run.excused('V1', 'disturbed')
      return
    }
    if (after === 'gossip') this.#looked++
    if (!isThere && after === 'gossip') {
      this.#missed.push(`${event.content} at ${node}`)
      this.#run.excused('V1', 'by exchange')
      return
    }
    this.#run.judged('V1')
    if (isThere) return
    const lateMs = (this.#run.nowUs() - firedUs) / 1000
    this.#run.report(
      'V1',
      `${event.content}, fired at ${event.agent}, has not reached ${node} after ${lateMs.toFixed(0)} ms`,
    )
  }

  ended(): void {
    if (this.#looked < missedOf) return
    this.#run.judged('V1')
    if (this.#missed.length <= this.#looked * missedShareMax) return
    const some = this.#missed.slice(0, 3).join('; ')
    this.#run.report('V1', `gossip missed ${this.#missed.length} of ${this.#looked} agents, for example for ${some}`)
  }
}

type Run = Pick<CheckedRun, 'nowUs'> & Judge<{ V1: Excuse }>

export const eventSpread = checker({
  codes: {
    V1: {
      text: 'events: an event reaches every agent that matches its filter and stays in the pool, by gossip or the next exchange of states',
      sources: ['docs/reference/events.md#firing-an-event', 'docs/reference/events.md#filters'],
      evidence: ['requests', 'events', 'members', 'probes'],
      judges: ['agent that an event is for', 'agents that events are for'],
      excuses: {
        disturbed:
          'An event fired before the pool was whole and calm, or that lost its calm while the event went round; that event.',
        'by exchange':
          'An agent that gossip has missed is looked at again, and few may be; until one interval of exchanging states is over.',
      },
      // Most stories fire events while faults go on; hunts fire more of them in calm.
      excusesMost: { disturbed: 0.65, 'by exchange': missedShareMax },
    },
  },
  make: (run) => new EventSpread(run, run.of(membership)),
  takes: {
    'event asked for': (it, { event }) => it.began(event),
    'event looked for': (it, look) => it.looked(look),
  },
  ends: (it) => it.ended(),
})
