import { meaningsIn } from '../explain/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { Operations } from './film-format.ts'

interface Asked {
  readonly n: number
  readonly t: number
}

/** HTTP requests of machines that are not agents, each with its answer. Those of one connection come in their order. */
export class AskedAndAnswered {
  /** By machine and connection. */
  readonly #waiting = new Map<string, Asked[]>()
  readonly #atUs: number[] = []
  readonly #tookUs: number[] = []
  readonly #status: number[] = []
  readonly #n: number[] = []

  /** An event of a machine that is not an agent. */
  add(event: TraceRecord): void {
    if (event.kind === 'segmentSent') this.#sent(event)
    else if (event.kind === 'segment') this.#came(event)
    else if (event.kind === 'streamControl') this.#broke(event.node, event.stream, event.t)
  }

  /** Requests without an answer count as failed at the end; more may follow. */
  ended(endUs: number): Operations {
    const open = [...this.#waiting.values()].flat()
    return {
      atUs: [...this.#atUs, ...open.map(({ t }) => t)],
      tookUs: [...this.#tookUs, ...open.map(({ t }) => endUs - t)],
      status: [...this.#status, ...open.map(() => 0)],
      n: [...this.#n, ...open.map(({ n }) => n)],
    }
  }

  #sent(event: Extract<TraceRecord, { readonly kind: 'segmentSent' }>): void {
    const requests = meaningsIn(event).filter(({ layer, name }) => layer === 'http' && name === 'request')
    if (requests.length === 0) return
    const key = `${event.node} ${event.stream}`
    const waiting = this.#waiting.get(key) ?? []
    for (const _ of requests) waiting.push({ n: event.n, t: event.t })
    this.#waiting.set(key, waiting)
  }

  #came(event: Extract<TraceRecord, { readonly kind: 'segment' }>): void {
    const waiting = this.#waiting.get(`${event.node} ${event.stream}`)
    if (waiting === undefined) return
    for (const meaning of meaningsIn(event)) {
      if (meaning.layer !== 'http' || meaning.name !== 'answer') continue
      const asked = waiting.shift()
      if (asked !== undefined) this.#end(asked, event.t, meaning.status)
    }
  }

  #broke(node: string, stream: number, t: number): void {
    const key = `${node} ${stream}`
    for (const asked of this.#waiting.get(key) ?? []) this.#end(asked, t, 0)
    this.#waiting.delete(key)
  }

  #end({ n, t }: Asked, endUs: number, status: number): void {
    this.#atUs.push(t)
    this.#tookUs.push(endUs - t)
    this.#status.push(status)
    this.#n.push(n)
  }
}
