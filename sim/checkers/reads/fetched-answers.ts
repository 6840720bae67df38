import { eventIn, type Judge } from '../checker.ts'
import type { RefusedTimely, TimelyAnswer } from './timely-facts.ts'

/** Clients that accept an answer of this age when no server answers accept any: no run is as long. */
const anyAgeS = 600

const serverErrors = 500

/** What an agent has asked a server for, as a client has learned. */
interface Fetched {
  readonly calledUs: number
  readonly answeredUs: number
  readonly event: number
}

type Run = { readonly nowUs: () => number } & Pick<Judge<Record<never, never>>, 'eventNow'>

type Asked = Pick<TimelyAnswer, 'agent' | 'of' | 'service' | 'calledUs'>

/** The answers in the caches of agents, as far as clients have seen them. */
export class FetchedAnswers {
  readonly #run: Run
  /** For each agent and list the last answer that the agent did not have in its cache. */
  readonly #fetched = new Map<string, Fetched>()
  /** For each agent and list, when a client first got an answer that the agent has kept since then. */
  readonly #keptUs = new Map<string, number>()

  constructor(run: Run) {
    this.#run = run
  }

  /** The cache of this agent ends with its process. */
  died(agent: string): void {
    for (const scope of this.#keptUs.keys()) if (scope.startsWith(`${agent} `)) this.#keptUs.delete(scope)
  }

  /**
   * The time since the agent asked a server for what it has in its cache, at most, and the event in which a client got
   * that: the agent had taken the answer by then. An answer that was under way meanwhile may still be the one before.
   */
  last(asked: Asked, hit: string): { readonly agoUs: number; readonly event: number } {
    const nowUs = this.#run.nowUs()
    const scope = scopeOf(asked)
    const last = this.#fetched.get(scope)
    if (!this.#keptUs.has(scope)) this.#keptUs.set(scope, nowUs)
    if (hit === 'MISS') {
      this.#fetched.set(scope, { calledUs: asked.calledUs, answeredUs: nowUs, event: eventIn(this.#run) })
    }
    if (last === undefined || last.answeredUs > asked.calledUs) return { agoUs: Number.POSITIVE_INFINITY, event: 0 }
    return { agoUs: nowUs - last.calledUs, event: last.event }
  }

  /**
   * Whether the agent had this list in its cache when a client asked for it, and the client accepts it at any age. A
   * server that is behind may not know a prepared query, which is no error.
   */
  mustGive({ wanted: { mustRevalidate, maxAgeS, staleIfErrorS = 0 }, status, ...asked }: RefusedTimely): boolean {
    if (status < serverErrors) return false
    const acceptsAll = (!mustRevalidate && maxAgeS === undefined) || staleIfErrorS >= anyAgeS
    const keptUs = this.#keptUs.get(scopeOf(asked))
    return acceptsAll && keptUs !== undefined && keptUs <= asked.calledUs
  }
}

function scopeOf({ agent, of, service }: Asked): string {
  return `${agent} ${of} ${service}`
}
