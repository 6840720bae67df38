import type { TraceRecord } from '../report/trace-record.ts'
import type { Events } from './events.ts'
import type { Explanation } from './explanation.ts'

/** A decision of a run, without which the run can be repeated. */
export interface Suspect {
  readonly kind: 'fault' | 'operation'
  /** Its effect: `crash s5, for 4 ms`. */
  readonly text: string
  readonly atUs: number
  /** Identities of its decisions: one, unless it stands for several together. */
  readonly without: readonly string[]
  /** Number of the event of the rule of which it is a firing. */
  readonly rule?: number
  /** How little it explains: the least first. */
  readonly cost: number
}

type Decision = Extract<TraceRecord, { readonly kind: 'decision' }>

/**
 * Cost of firings outside the chain, which are also judged: if they led to the violation, and with more cost if no arrow of
 * the trace says so. A slow network or disk makes everything late and is the cause of no event.
 */
const besideCost = { led: 40, noArrow: 60 } as const

/** Decisions that can be left out, the most suspect first: firings of faults and operations of clients. */
export function suspectsOf(events: Events, explanation: Explanation): readonly Suspect[] {
  const { violation, chain } = explanation
  const costs = new Map<number, number>()
  for (const { event, cost, part } of chain) {
    for (const decision of decisionsOf(events, event)) {
      // A fault at a server of the violation explains more than a line that happens to come from it.
      const worth = part === 'fault' ? cost : cost + 1
      costs.set(decision.n, Math.min(worth, costs.get(decision.n) ?? Number.POSITIVE_INFINITY))
    }
  }
  const causes = events.ancestors(violation)
  const deeds = deedsOf(events)
  const all = events.all.flatMap((event): readonly Suspect[] => {
    if (event.kind !== 'decision' || event.n > violation.n || event.text.startsWith('rule ')) return []
    const isFault = event.text.startsWith('firing: ')
    const cost = costs.get(event.n)
    const isCause = causes.has(event.n)
    if (cost === undefined && !isFault) return []
    const text = deeds.get(event.n)
    if (text === undefined) return []
    const rule = events.causesOf(event).find((each) => each.kind === 'decision')?.n
    const made = { kind: isFault ? 'fault' : 'operation', text, atUs: event.t, without: [event.id] } as const
    const beside = (isCause ? besideCost.led : besideCost.noArrow) + (violation.t - event.t) / 1_000_000
    return [{ ...made, ...(rule === undefined ? {} : { rule }), cost: cost ?? beside }]
  })
  return all.toSorted((a, b) => a.cost - b.cost)
}

/** Several suspects of one rule together, if none of them alone makes a difference: all of a rule, then pairs. */
export function togetherOf(suspects: readonly Suspect[], most: number): readonly Suspect[] {
  const byRule = new Map<number, Suspect[]>()
  for (const suspect of suspects) {
    const { rule } = suspect
    if (rule !== undefined) byRule.set(rule, [...(byRule.get(rule) ?? []), suspect])
  }
  const rules = [...byRule.values()].filter(({ length }) => length > 1)
  const all = rules.map((each) => joined(each, `all ${each.length} of the rule that did: ${each[0]?.text}`))
  const pairs = rules.flatMap((each) =>
    each.flatMap((one, at) =>
      each.slice(at + 1).map((other) => joined([one, other], `${one.text}; and ${other.text}`)),
    ),
  )
  return [...all, ...pairs.toSorted((a, b) => a.cost - b.cost)].slice(0, most)
}

/** All faults that may have led to it, as one suspect. */
export function faultsTogether(faults: readonly Suspect[]): Suspect {
  return joined(faults, `all ${faults.length} faults together`)
}

function joined(several: readonly Suspect[], text: string): Suspect {
  const [first] = several
  return {
    kind: first?.kind ?? 'fault',
    text,
    atUs: Math.min(...several.map(({ atUs }) => atUs)),
    without: several.flatMap(({ without }) => without),
    cost: several.reduce((sum, { cost }) => sum + cost, 0),
  }
}

/** The decisions from which an event directly follows: the effect of a firing, a request of an operation. */
function decisionsOf(events: Events, event: TraceRecord): readonly Decision[] {
  return events.causesOf(event).flatMap((cause) => {
    if (cause.kind === 'decision') return [cause]
    // A crash follows from the effect of a firing, and through it from the firing.
    return event.kind === 'boot' || event.kind === 'crash' ? events.causesOf(cause).filter(isDecision) : []
  })
}

function isDecision(event: TraceRecord): event is Decision {
  return event.kind === 'decision'
}

/** The effects of each decision as text: those of a firing, or the first request of an operation. */
function deedsOf(events: Events): ReadonlyMap<number, string> {
  const deeds = new Map<number, string[]>()
  for (const event of events.all) {
    const text = deedText(event)
    if (text === undefined) continue
    for (const cause of events.causesOf(event)) {
      if (cause.kind !== 'decision') continue
      const known = deeds.get(cause.n) ?? []
      if (known.length < 2 && !known.includes(text)) deeds.set(cause.n, [...known, text])
    }
  }
  return new Map([...deeds].map(([n, texts]) => [n, texts.join('; ')]))
}

function deedText(event: TraceRecord): string | undefined {
  if (event.kind === 'driver' && event.story === 'fault') return event.text
  if (event.kind !== 'segmentSent') return undefined
  for (const meaning of event.means ?? []) {
    if (meaning.layer === 'http' && meaning.name === 'request') {
      return `${event.node} asks ${event.to}: ${meaning.method} ${meaning.target}`
    }
  }
  return undefined
}
