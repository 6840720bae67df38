import type { TraceRecord } from '../report/trace-record.ts'
import type { Events } from './events.ts'

/** Maximum number of events that the search follows back, the nearest to the failure first. */
const eventsMax = 100_000
/** Messages which say that a value was missing. */
const missing = /TypeError|ReferenceError|\b(?:undefined|null)\b|is not (?:iterable|a function)/

/** The last event before the violation which says that a value was missing. */
export function missingIn({ all }: Events, violation: TraceRecord): TraceRecord | undefined {
  return all.findLast((event) => event.n <= violation.n && 'text' in event && missing.test(String(event.text)))
}

/** A line of a built module, counted from 0. */
export interface Frame {
  readonly file: string
  readonly line: number
}

/** An exception, and its stack in modules of the agent, the innermost frame first. */
export interface Stack {
  readonly event: TraceRecord
  readonly frames: readonly Frame[]
}

/** The stack of the last exception before the violation. */
export function stackIn({ all }: Events, violation: TraceRecord): Stack | undefined {
  const event = all.findLast(
    (each) => each.n <= violation.n && each.kind === 'note' && each.text.startsWith('thrown by '),
  )
  if (event?.kind !== 'note') return undefined
  const places = [...event.text.matchAll(/(src\/[^:]+[.]js):(\d+)/g)]
  return { event, frames: places.map(([, file = '', line]) => ({ file, line: Number(line) - 1 })) }
}

/** Events that led to any of these, by the smallest number of arrows; the nearest and latest first. */
export function waysTo(events: Events, ends: readonly TraceRecord[]): readonly (readonly [number, number])[] {
  const steps = new Map<number, number>()
  for (const end of ends) {
    for (const [n, arrows] of events.ancestors(end)) steps.set(n, Math.min(arrows, steps.get(n) ?? arrows))
  }
  return [...steps].toSorted(([n, a], [m, b]) => a - b || m - n).slice(0, eventsMax)
}
