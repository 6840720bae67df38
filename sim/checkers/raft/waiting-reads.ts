import { checker } from '../checker.ts'
import type { ServerTiming } from '../process-facts.ts'

interface Waiting {
  /** An entry of its term is committed: until then, reads wait for that. */
  hasCommitted: boolean
  /** By request, oldest first: since when the leader could ask its followers about it, by its own clock. */
  readonly sinceMs: Map<number, number>
}

/** Reads that wait at each leader until a majority has answered. */
export class WaitingReads {
  readonly #timings = new Map<string, ServerTiming>()
  readonly #leading = new Map<string, Waiting>()

  began(node: string, timing: ServerTiming | undefined): void {
    this.#leading.delete(node)
    if (timing === undefined) this.#timings.delete(node)
    else this.#timings.set(node, timing)
  }

  becameLeader(node: string): void {
    this.#leading.set(node, { hasCommitted: false, sinceMs: new Map() })
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
  }

  /** The first entry that a leader commits by counting is of its own term: R8 sees to that. */
  committed(node: string): void {
    const waiting = this.#leading.get(node)
    if (waiting === undefined || waiting.hasCommitted) return
    waiting.hasCommitted = true
    this.resumed(node)
  }

  /** Its process did nothing until now. */
  resumed(node: string): void {
    const sinceMs = this.#leading.get(node)?.sinceMs
    for (const requestId of sinceMs?.keys() ?? []) sinceMs?.set(requestId, this.#nowMs(node))
  }

  asked(node: string, requestId: number): void {
    this.#leading.get(node)?.sinceMs.set(requestId, this.#nowMs(node))
  }

  /** It is answered, or refused. */
  confirmed(node: string, requestId: number | undefined): void {
    if (requestId !== undefined) this.#leading.get(node)?.sinceMs.delete(requestId)
  }

  /** Whether any read waits, if only for the first entry of the leader's term. */
  any(node: string): boolean {
    return (this.#leading.get(node)?.sinceMs.size ?? 0) > 0
  }

  /** Since when the oldest read waits for answers; undefined: none does. */
  oldestMs(node: string): number | undefined {
    const waiting = this.#leading.get(node)
    if (waiting?.hasCommitted !== true) return undefined
    const [oldest] = waiting.sinceMs.values()
    return oldest
  }

  #nowMs(node: string): number {
    return this.#timings.get(node)?.monoMs() ?? 0
  }
}

export const waitingReads = checker({
  codes: {},
  make: () => new WaitingReads(),
  takes: {
    'process began': (it, { node, timing }) => it.began(node, timing),
    'process died': (it, { node }) => it.noLongerLeads(node),
    'process resumed': (it, { node }) => it.resumed(node),
    'leader began': (it, { node }) => it.becameLeader(node),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'index committed': (it, { node }) => it.committed(node),
    'read asked': (it, { node, requestId }) => it.asked(node, requestId),
    'request refused': (it, { node, requestId }) => it.confirmed(node, requestId),
    'read confirmed': (it, { node, requestId }) => it.confirmed(node, requestId),
  },
})
