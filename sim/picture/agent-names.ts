import type { TraceRecord } from '../report/trace-record.ts'

/** Agents of one run whose names are kept: far more than a run has. */
const agentsMax = 2_000

/** Names of agents by their IDs, as they announce them to each other. */
export class AgentNames {
  readonly #names = new Map<string, string>()

  add(event: TraceRecord): void {
    if (event.kind !== 'segment' || event.means === undefined) return
    for (const meaning of event.means) {
      if (meaning.layer !== 'rpc' || meaning.name !== 'hello' || this.#names.size >= agentsMax) continue
      if (meaning.id !== meaning.node) this.#names.set(meaning.id, meaning.node)
    }
  }

  /** A new one each time. */
  get names(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#names)
  }
}
