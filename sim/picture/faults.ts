import { utf8 } from '../../src/base/bytes.ts'
import { jsonOrUndefined } from '../../src/base/json.ts'
import { isRecord } from '../../src/base/shape.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { FaultSpan } from './film-format.ts'
import { type Forgotten, Latest } from './latest.ts'

/** Faults that are over and kept of one run: the latest. */
const spansMax = 10_000

/** Texts of an undisturbed link, by what they end. */
const endings: Readonly<Record<string, string>> = { healed: 'cut', accepts: 'refuses', 'as usual': 'settings' }

interface Open {
  readonly kind: FaultSpan['kind']
  readonly fromUs: number
  readonly machines: readonly number[]
  readonly text: string
}

/** Collects the times at which links, disks and clocks were disturbed. */
export class FaultSpans {
  readonly #spans = new Latest<readonly [toUs: number, span: FaultSpan]>(spansMax)
  /** At which rate the clock of a machine runs when nothing is wrong with it, in parts per million. */
  readonly #usualRates = new Map<string, number>()
  readonly #open = new Map<string, Open>()
  readonly #placeOf: (machine: string) => number

  constructor(placeOf: (machine: string) => number) {
    this.#placeOf = placeOf
  }

  add(event: TraceRecord): void {
    if (event.kind === 'link') this.#link(event)
    else if (event.kind === 'diskFault') this.#disk(event)
    else if (event.kind === 'clock') this.#clock(event)
  }

  /** In the order of their beginnings. Present disturbances last until the end; more may follow. */
  ended(endUs: number): readonly FaultSpan[] {
    const open = [...this.#open.values()].filter(({ fromUs }) => endUs > fromUs)
    const ended = this.#spans.steps.map(([, span]) => span)
    return [...ended, ...open.map((span) => ({ ...span, toUs: endUs }))].toSorted((a, b) => a.fromUs - b.fromUs)
  }

  get forgotten(): Forgotten {
    return this.#spans.forgotten
  }

  /** As a machine begins its clock is given the rate that is its own; whatever is said of a clock later is a fault. */
  #clock({ t, node, text, value }: Extract<TraceRecord, { readonly kind: 'clock' }>): void {
    const machines = [this.#placeOf(node)]
    if (!text.startsWith('rate')) {
      const off = `${value < 0 ? '−' : '+'}${Math.abs(value) / 1000} s`
      const what = text.startsWith('wall clock stepped')
        ? `its wall clock jumps by ${off}`
        : `its wall clock is set ${off} off true time`
      if (t > 0) this.#end({ kind: 'clock', fromUs: t, machines, text: `${node}: ${what}` }, t)
      return
    }
    const usual = this.#usualRates.get(node) ?? (t === 0 ? value : 0)
    this.#usualRates.set(node, usual)
    const key = `rate ${node}`
    this.#ends(key, t)
    if (value === usual) return
    const off = `${value > 0 ? '+' : ''}${value / 10_000} %`
    this.#open.set(key, { kind: 'clock', fromUs: t, machines, text: `${node}: its clocks run at ${off}` })
  }

  #link({ t, node, to, text }: Extract<TraceRecord, { readonly kind: 'link' }>): void {
    const settings = linkSettings(text)
    const what = endings[text] ?? (settings === undefined ? text : 'settings')
    const key = `link ${node} ${to} ${what}`
    this.#ends(key, t)
    if (text in endings) return
    const [from, end] = [this.#placeOf(node), this.#placeOf(to)]
    if (what === 'refuses') {
      this.#open.set(key, { kind: 'refusal', fromUs: t, machines: [from], text: `${node}: refuses connections` })
      return
    }
    const kind = settings === undefined ? 'cut' : 'link'
    const said = settings ?? text
    this.#open.set(key, { kind, fromUs: t, machines: [from, end], text: `${node} to ${to}: ${said}` })
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
    if (open !== undefined && toUs > open.fromUs) this.#end(open, toUs)
  }

  #end(open: Open, toUs: number): void {
    this.#spans.push([toUs, { ...open, toUs }])
  }
}

/** `600 to 1200 ms, 20 % lost`; undefined: the text of a link has no settings. */
function linkSettings(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  const settings = jsonOrUndefined(utf8(text))
  if (!isRecord(settings)) return undefined
  const words = Object.entries(settings).map(
    ([name, value]) => settingWords[name]?.(value) ?? `${name} ${String(value)}`,
  )
  return words.length === 0 ? 'other settings' : words.join(', ')
}

const settingWords: Readonly<Record<string, (value: unknown) => string>> = {
  latencyMs: (value) => `${Array.isArray(value) ? value.join(' to ') : String(value)} ms`,
  jitterMs: (value) => `some ${String(value)} ms later`,
  loss: (value) => `${percent(value)} lost`,
  blocksDatagrams: () => 'no datagrams',
  duplicate: (value) => `${percent(value)} twice`,
  reorder: (value) => `${percent(value)} out of order`,
  corrupt: (value) => `${percent(value)} with a wrong bit`,
}

function percent(value: unknown): string {
  return `${Number((Number(value) * 100).toFixed(3))} %`
}
