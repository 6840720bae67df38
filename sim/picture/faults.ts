import type { TraceRecord } from '../report/trace-record.ts'
import type { FaultSpan } from './film-format.ts'

/** Texts of an undisturbed link. */
const wellLinks: ReadonlySet<string> = new Set(['healed', 'accepts'])

interface Open {
  readonly kind: FaultSpan['kind']
  readonly fromUs: number
  readonly machines: readonly number[]
  readonly text: string
}

/** Collects the times at which links, disks and clocks were disturbed. */
export class FaultSpans {
  readonly #spans: FaultSpan[] = []
  readonly #open = new Map<string, Open>()
  readonly #placeOf: (machine: string) => number

  constructor(placeOf: (machine: string) => number) {
    this.#placeOf = placeOf
  }

  add(event: TraceRecord): void {
    if (event.kind === 'link') this.#link(event)
    else if (event.kind === 'diskFault') this.#disk(event)
    else if (event.kind === 'clock' && event.t > 0) {
      const machines = [this.#placeOf(event.node)]
      const { t, text, value } = event
      this.#spans.push({ kind: 'clock', fromUs: t, toUs: t, machines, text: `${event.node}: ${text} ${value}` })
    }
  }

  /** In the order of their beginnings. Present disturbances last until the end; more may follow. */
  ended(endUs: number): readonly FaultSpan[] {
    const open = [...this.#open.values()].filter(({ fromUs }) => endUs > fromUs)
    return [...this.#spans, ...open.map((span) => ({ ...span, toUs: endUs }))].toSorted((a, b) => a.fromUs - b.fromUs)
  }

  #link({ t, node, to, text }: Extract<TraceRecord, { readonly kind: 'link' }>): void {
    const key = `link ${node} ${to}`
    this.#ends(key, t)
    if (wellLinks.has(text)) return
    const machines = [this.#placeOf(node), this.#placeOf(to)]
    this.#open.set(key, { kind: 'cut', fromUs: t, machines, text: `${node} to ${to}: ${text}` })
  }

  #disk({ t, node, text, value }: Extract<TraceRecord, { readonly kind: 'diskFault' }>): void {
    const key = `disk ${node} ${text}`
    this.#ends(key, t)
    if (value !== 0) {
      this.#open.set(key, { kind: 'disk', fromUs: t, machines: [this.#placeOf(node)], text: `${node}: ${text}` })
    }
  }

  #ends(key: string, toUs: number): void {
    const open = this.#open.get(key)
    this.#open.delete(key)
    if (open !== undefined && toUs > open.fromUs) this.#spans.push({ ...open, toUs })
  }
}
