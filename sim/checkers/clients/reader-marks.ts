import { checker } from '../checker.ts'
import { type Reach, rareStates, toldStates } from '../rare-states.ts'

export const readerMarks = rareStates({
  'restore with parked readers': 'a snapshot was restored on a server at which blocking queries waited',
  'blocking query woken by a restore': 'a blocking query was woken in the moment in which a snapshot was restored',
  'leader lost with parked readers': 'a leader crashed or stepped down while blocking queries waited at it',
  'server died with parked readers': 'the process of a server ended while blocking queries waited at it',
})

export const readersTold = toldStates({
  'watch without an answer': ['agent: a watch could not ask', 'a configured watch was not answered'],
  'stale answer used': [
    'dns.stale_queries',
    'a question over DNS was answered with an old state, because no server knew a newer one',
  ],
  'stale result asked for again': [
    'dns: Query results too stale, re-requesting',
    'an agent asked the leader for an answer over DNS, because the state of another server was too old',
  ],
})

/** Observes rare states of parked reads. */
class ReaderMarks {
  readonly #reach: Reach<keyof typeof readerMarks.marks>
  /** Number of parked reads by server. */
  readonly #parked = new Map<string, number>()
  /** Servers that restored a snapshot in this turn. */
  readonly #restored = new Set<string>()

  constructor(reach: Reach<keyof typeof readerMarks.marks>) {
    this.#reach = reach
  }

  /** `next` is called when the read is woken. */
  parked(server: string, next: () => void): () => void {
    this.#parked.set(server, (this.#parked.get(server) ?? 0) + 1)
    let waits = true
    return () => {
      if (waits) this.#parked.set(server, Math.max(0, (this.#parked.get(server) ?? 0) - 1))
      waits = false
      if (this.#restored.has(server)) this.#reach('blocking query woken by a restore')
      next()
    }
  }

  replaced(server: string): void {
    if (!this.#waitAt(server)) return
    this.#reach('restore with parked readers')
    this.#restored.add(server)
  }

  noLongerLeads(server: string): void {
    if (this.#waitAt(server)) this.#reach('leader lost with parked readers')
  }

  died(server: string): void {
    if (this.#waitAt(server)) this.#reach('server died with parked readers')
    this.#parked.delete(server)
  }

  turnEnded(): void {
    if (this.#restored.size > 0) this.#restored.clear()
  }

  #waitAt(server: string): boolean {
    return (this.#parked.get(server) ?? 0) > 0
  }
}

export const markedReaders = checker({
  codes: {},
  make: ({ of }) => new ReaderMarks(of(readerMarks)),
  takes: {
    'state replaced': (it, { node }) => it.replaced(node),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'process died': (it, { node }) => it.died(node),
    'turn ended': (it) => it.turnEnded(),
  },
})
