import { checker, type Judge } from '../checker.ts'
import type { EventListing, FiredEvent, ListedEvent } from './event-facts.ts'

/** An agent lists this many events at most; a new one displaces the oldest. Reference: events.md#listing-events. */
const listedMax = 256

interface Known {
  readonly id: string
  readonly lamport: number
  readonly node: string
}

interface LastList {
  readonly heardUs: number
  readonly ids: readonly string[]
}

/**
 * V2. What an agent lists: each event once, in the order in which they arrived there, with the content as fired, and
 * with the same ID and Lamport time at all agents; no event whose filters exclude the agent; and the index of the last
 * event. An event fired at an agent after another was listed there has a later Lamport time.
 */
export class EventLists {
  readonly #judge: Judge<{ V2: never }>
  readonly #nowUs: () => number
  readonly #fired = new Map<string, FiredEvent>()
  readonly #known = new Map<string, Known>()
  /** The last list by agent, boot and name. */
  readonly #last = new Map<string, LastList>()
  /** By agent and boot, the latest Lamport time that it has listed; by event, that of its agent when it was fired. */
  readonly #latest = new Map<string, number>()
  readonly #laterThan = new Map<FiredEvent, number>()

  constructor(judge: Judge<{ V2: never }>, nowUs: () => number) {
    this.#judge = judge
    this.#nowUs = nowUs
  }

  /** `boot`: that of the asked agent. */
  began(event: FiredEvent, boot: number): void {
    this.#fired.set(event.content, event)
    this.#laterThan.set(event, this.#latest.get(`${event.agent} ${boot}`) ?? 0)
  }

  listed(listing: EventListing): void {
    const { node, boot, name, index, events } = listing
    this.#judge.judged('V2')
    const where = `the list${name === '' ? '' : ` of ${name}`} at ${node}`
    const ids = events.map(({ id }) => id)
    const repeated = ids.find((id, at) => ids.indexOf(id) < at)
    if (repeated !== undefined) {
      const times = ids.filter((id) => id === repeated).length
      this.#judge.report('V2', `${where} has an event ${times} times: ${repeated}, of ${ids.length} in all`)
    }
    const meant = indexOf(ids.at(-1))
    if (index !== meant) this.#judge.report('V2', `${where} has the index ${index}, but its last event has ${meant}`)
    for (const event of events) this.#asFired(where, listing, event)
    this.#inOrder(where, listing, ids)
    const latest = Math.max(0, ...events.map(({ lamport }) => lamport))
    const at = `${node} ${boot}`
    this.#latest.set(at, Math.max(latest, this.#latest.get(at) ?? 0))
  }

  #asFired(where: string, { node, name }: EventListing, { id, content, lamport }: ListedEvent): void {
    const fired = this.#fired.get(content)
    if (fired === undefined) return this.#judge.report('V2', `${where} has ${content}, which was never fired`)
    if (name !== '' && !content.startsWith(`${name} `)) {
      this.#judge.report('V2', `${where} has ${content}, which has another name`)
    }
    if (fired.isForNode?.(node) === false) {
      this.#judge.report('V2', `${where} has ${content}, whose filters exclude this agent`)
    }
    if (fired.id !== undefined && fired.id !== id) {
      this.#judge.report('V2', `${where} has ${content} with the ID ${id}, but it was fired with ${fired.id}`)
    }
    const known = this.#known.get(content)
    if (known === undefined) {
      this.#known.set(content, { id, lamport, node })
      const before = this.#laterThan.get(fired) ?? 0
      if (lamport <= before) {
        const by = `fired at ${fired.agent}, which had listed one of ${before} before`
        this.#judge.report('V2', `${where} has ${content} with the Lamport time ${lamport}, ${by}`)
      }
    } else if (known.id !== id || known.lamport !== lamport) {
      const [one, other] = [`${id} at ${lamport}`, `${known.id} at ${known.lamport}`]
      this.#judge.report('V2', `${where} has ${content} as ${one}, but ${known.node} has it as ${other}`)
    }
  }

  /** A list is compared with one that was answered before it was requested. */
  #inOrder(where: string, { node, boot, name, calledUs }: EventListing, ids: readonly string[]): void {
    const of = `${node} ${boot} ${name}`
    const before = this.#last.get(of)
    if (before !== undefined && before.heardUs <= calledUs) {
      const first = ids[0]
      const kept = first === undefined ? [] : before.ids.slice(Math.max(0, before.ids.indexOf(first)))
      const isFull = ids.length >= listedMax || name !== ''
      const isSame = kept.every((id, at) => ids[at] === id) && (isFull || kept.length === before.ids.length)
      if (!isSame) {
        this.#judge.report('V2', `${where} is ${ids.join(', ') || 'empty'}, but was ${before.ids.join(', ')} before`)
      }
    }
    if (before === undefined || before.heardUs <= calledUs) this.#last.set(of, { heardUs: this.#nowUs(), ids })
  }
}

/** The index of a list that ends with this event, computed digit by digit. */
function indexOf(id: string | undefined): string {
  if (id === undefined) return '1'
  const digits = id.replaceAll('-', '')
  let mixed = 0n
  for (let at = 0; at < 16; at++) {
    const [high, low] = [Number.parseInt(digits[at] ?? '', 16), Number.parseInt(digits[at + 16] ?? '', 16)]
    mixed = mixed * 16n + BigInt(high ^ low)
  }
  return mixed.toString()
}

export const eventLists = checker({
  codes: {
    V2: {
      text: 'event lists: each event once, in order of arrival, as it was fired, with the same ID and Lamport time at all agents, and the index of the last',
      sources: ['docs/reference/events.md#listing-events', 'docs/reference/events.md#index-of-the-event-list'],
      evidence: ['requests', 'events'],
      judges: ['list of events', 'lists of events'],
    },
  },
  make: (run) => new EventLists(run, run.nowUs),
  takes: {
    'event asked for': (it, { event, boot }) => it.began(event, boot),
    'events listed': (it, listing) => it.listed(listing),
  },
})
