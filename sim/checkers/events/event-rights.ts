import { checker, type Judge } from '../checker.ts'
import type { EventListing, FewRightsFire, FewRightsList } from './event-facts.ts'

/**
 * V3. For a token that may write and read events of some names only: an agent refuses events of other names, and these
 * reach no agent, not even the asked one; its lists have all of the agent's events with its names, and no others.
 */
export class EventRights {
  readonly #judge: Judge<{ V3: 'changed meanwhile' }>
  /** Contents of events that a client without the right has requested, and the asked agents. */
  readonly #refused = new Map<string, string>()

  constructor(judge: Judge<{ V3: 'changed meanwhile' }>) {
    this.#judge = judge
  }

  asked({ content, agent, mayWrite }: FewRightsFire): void {
    if (!mayWrite) this.#refused.set(content, agent)
  }

  answered({ content, agent, mayWrite, outcome }: FewRightsFire): void {
    if (outcome === undefined) return
    this.#judge.judged('V3')
    if (mayWrite === (outcome === 'fired')) return
    const right = mayWrite ? 'may write events of this name' : 'may not write events of this name'
    this.#judge.report('V3', `${content} is ${outcome} at ${agent} for a token that ${right}`)
  }

  listed({ node, events }: EventListing): void {
    if (this.#refused.size === 0) return
    for (const { content } of events) {
      const agent = this.#refused.get(content)
      if (agent === undefined) continue
      this.#judge.judged('V3')
      this.#judge.report('V3', `${node} lists ${content}, which a token without the right asked ${agent} to fire`)
    }
  }

  shown({ node, names, before, shown, after }: FewRightsList): void {
    if (before.join() !== after.join()) return this.#judge.excused('V3', 'changed meanwhile')
    this.#judge.judged('V3')
    const isMeant = (content: string): boolean => names.some((name) => content.startsWith(`${name} `))
    const [hidden] = shown.filter((content) => !isMeant(content))
    if (hidden !== undefined) {
      return this.#judge.report('V3', `${node} shows ${hidden} to a token that may read events of ${names} alone`)
    }
    const meant = before.filter(isMeant)
    if (meant.join() === shown.join()) return
    const has = `${shown.length} events of ${names} to a token that may read them, and has ${meant.length}`
    this.#judge.report('V3', `${node} shows ${has}`)
  }
}

export const eventRights = checker({
  codes: {
    V3: {
      text: 'event rights: an event that a token may not write is refused and reaches no agent; a list has the events that its token may read, and no others',
      sources: ['docs/reference/events.md#firing-an-event', 'docs/reference/events.md#listing-events'],
      evidence: ['requests', 'events', 'rights'],
      judges: ['event or list of a token', 'events and lists of a token'],
      excuses: {
        'changed meanwhile': 'An event came to the agent between the lists that are compared; that comparison.',
      },
    },
  },
  make: (run) => new EventRights(run),
  takes: {
    'event asked for with few rights': (it, fire) => it.asked(fire),
    'event answered with few rights': (it, fire) => it.answered(fire),
    'events shown to few rights': (it, list) => it.shown(list),
    'events listed': (it, listing) => it.listed(listing),
  },
})
