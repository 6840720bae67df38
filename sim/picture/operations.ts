import { meaningsIn } from '../explain/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { noAnswer, type Operations, stillWaiting } from './film-format.ts'
import { type Forgotten, Latest } from './latest.ts'

/** Requests with their answers that are kept of one run: the latest. */
const operationsUsual = 100_000

type Ended = readonly [atUs: number, tookUs: number, status: number, n: number, machine: number]

interface Asked {
  readonly n: number
  readonly t: number
  readonly machine: number
}

/** HTTP requests of machines that are not agents, each with its answer. Those of one connection come in their order. */
export class AskedAndAnswered {
  /** By machine and connection. */
  readonly #waiting = new Map<string, Asked[]>()
  readonly #ended: Latest<Ended>
  readonly #machineOf: (name: string) => number

  /** `machineOf` gives a machine's position in the film's list. */
  constructor(machineOf: (name: string) => number, most = operationsUsual) {
    this.#machineOf = machineOf
    this.#ended = new Latest(most)
  }

  /** An event of a machine that is not an agent. */
  add(event: TraceRecord): void {
    if (event.kind === 'segmentSent') this.#sent(event)
    else if (event.kind === 'segment') this.#came(event)
    else if (event.kind === 'streamControl') this.#broke(event.node, event.stream, event.t)
  }

  /** Requests that have no answer yet are listed as they stand; more may follow. */
  ended(endUs: number): Operations {
    const open = [...this.#waiting.values()]
      .flat()
      .map(({ t, n, machine }): Ended => [t, endUs - t, stillWaiting, n, machine])
    const all = [...this.#ended.steps, ...open]
    return {
      atUs: all.map(([atUs]) => atUs),
      tookUs: all.map(([, tookUs]) => tookUs),
      status: all.map(([, , status]) => status),
      n: all.map(([, , , n]) => n),
      machine: all.map(([, , , , machine]) => machine),
    }
  }

  get forgotten(): Forgotten {
    return this.#ended.forgotten
  }

  #sent(event: Extract<TraceRecord, { readonly kind: 'segmentSent' }>): void {
    const requests = meaningsIn(event).filter(({ layer, name }) => layer === 'http' && name === 'request')
    if (requests.length === 0) return
    const key = `${event.node} ${event.stream}`
    const waiting = this.#waiting.get(key) ?? []
    const asked = { n: event.n, t: event.t, machine: this.#machineOf(event.node) }
    for (const _ of requests) waiting.push(asked)
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
    for (const asked of this.#waiting.get(key) ?? []) this.#end(asked, t, noAnswer)
    this.#waiting.delete(key)
  }

  #end({ n, t, machine }: Asked, endUs: number, status: number): void {
    this.#ended.push([t, endUs - t, status, n, machine])
  }
}
