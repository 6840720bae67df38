import type { Draws } from '../world/decisions/draws.ts'

/** A session that was created for a visitor. */
interface Given {
  readonly id: string
  readonly node: string
  readonly givenUs: number
  isToEnd: boolean
}

/** An intention that was created for a visitor; another one may have deleted it since. */
interface KnownIntention {
  readonly id: string
  readonly source: string
  readonly destination: string
  /** A visitor has requested its deletion. */
  isToEnd: boolean
}

const sessionsMax = 32
const intentionsMax = 8
/** While no intention is known. */
const noIntention: KnownIntention = {
  id: '00000000-0000-4000-8000-000000000000',
  source: 'a',
  destination: 'a',
  isToEnd: true,
}
/** Time to live: the shortest that is allowed. */
export const sessionTtl = '10s'
/** Time for which a created session surely exists, unless its destruction was requested. */
const surelyThereUs = 5_000_000
const noSession: Given = {
  id: '00000000-0000-4000-8000-000000000000',
  node: '',
  givenUs: Number.NEGATIVE_INFINITY,
  isToEnd: true,
}

/** What the visitors of a group have learnt in one datacenter. */
export class VisitMemory {
  readonly #nowUs: () => number
  readonly #sessions: Given[] = []
  readonly #intentions: KnownIntention[] = []
  /** Index by prefix. */
  readonly indexes = new Map<string, number>()

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs
  }

  keep(id: string, node: string): void {
    this.#sessions.push({ id, node, givenUs: this.#nowUs(), isToEnd: false })
    if (this.#sessions.length > sessionsMax) this.#sessions.shift()
  }

  keepIntention(intention: Omit<KnownIntention, 'isToEnd'>): void {
    this.#intentions.push({ ...intention, isToEnd: false })
    if (this.#intentions.length > intentionsMax) this.#intentions.shift()
  }

  intention(draws: Draws): KnownIntention {
    return this.#intentions[draws.below(Math.max(1, this.#intentions.length))] ?? noIntention
  }

  /** One of the latest sessions. */
  session(draws: Draws): Given {
    const latest = this.#sessions.slice(-latestOf)
    return latest[draws.below(Math.max(1, latest.length))] ?? noSession
  }

  isSurelyThere({ givenUs, isToEnd }: Given): boolean {
    return !isToEnd && this.#nowUs() < givenUs + surelyThereUs
  }
}

/** Number of latest sessions among which a visit chooses. */
const latestOf = 4
