import type { EvidenceKind } from '../checkers/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { ChainEvent, Part } from './chain-event.ts'
import { withoutEchoes } from './echoes.ts'
import type { Events } from './events.ts'
import { evidenceIn, kindsOf, meaningsIn, ofPlace } from './evidence.ts'
import { isEntryOf, isOfPlace, namesThing, type Things } from './things.ts'

/** Rare evidence, which may matter although it names another thing. */
const rare: ReadonlySet<EvidenceKind> = new Set([
  'elections',
  'configurations',
  'locks',
  'rights',
  'authority',
  'intentions',
  'queries',
  'restores',
])
/** A message is late if it is under way for longer. */
const lateUs = 250_000
/**
 * Maximum number of arrows from an event that only says that something is done or due, back to the event that it means.
 */
const unwrapMax = 4
/** A fault that precedes the first fact by less may have caused it. */
const beforeUs = 1_000_000
/** Cost of an event about another thing, so that it comes after all events about the same thing. */
const otherThing = 12
const nobodysCause = 3

/** Every event that may explain a violation, in order of time, and the violation itself. */
export function chainOf(
  events: Events,
  violation: TraceRecord,
  { evidence, things }: { readonly evidence: readonly EvidenceKind[]; readonly things: Things },
): readonly ChainEvent[] {
  const steps = events.ancestors(violation)
  const judgedBy = events.causesOf(violation).map((event) => meant(events, event))
  const judged = new Set(judgedBy.filter(saysSomething).map(({ n }) => n))
  const found = events.all.flatMap((event): readonly ChainEvent[] => {
    if (event.n > violation.n) return []
    if (event.n === violation.n) return [{ event, part: 'violation', isCause: true, isStranger: false, cost: 0 }]
    const of = partOf(event, evidence, things)
    if (of === undefined && !judged.has(event.n)) return []
    const { part, cost } = of ?? { part: 'life' as const, cost: 0 }
    const at = steps.get(event.n)
    // Distance in the graph, or in time, is distance for the reader.
    const far = at === undefined ? nobodysCause + log2(((violation.t - event.t) / 1_000_000) * 4) : log2(at)
    const isBeside = at === undefined && (part === 'lost' || (cost >= otherThing && part !== 'fault'))
    if (isBeside && !(part !== 'lost' && rare.has(part as EvidenceKind))) return []
    const sum = judged.has(event.n) ? 0 : cost + far
    const isStranger = cost >= otherThing && !judged.has(event.n)
    return [{ event, part, isCause: at !== undefined, isStranger, cost: sum, ...late(events, event) }]
  })
  return withoutEchoes(sinceItBegan(found), events)
}

/**
 * Faults and process lives before the first fact about the same thing matter only if they led to the violation; other
 * events count only from then on.
 */
function sinceItBegan(found: readonly ChainEvent[]): readonly ChainEvent[] {
  const first = found.find(
    ({ part, cost }) => part !== 'fault' && part !== 'life' && part !== 'step' && cost < otherThing,
  )
  if (first === undefined) return found
  const sinceUs = first.event.t - beforeUs
  return found.filter(({ part, isCause, event }) => {
    if (part === 'life') return event.t >= sinceUs
    return part !== 'fault' || isCause || event.t >= sinceUs
  })
}

/** The role of this event for the law, and the cost to show it; undefined: none. */
function partOf(
  event: TraceRecord,
  evidence: readonly EvidenceKind[],
  things: Things,
): { readonly part: Part; readonly cost: number } | undefined {
  if (event.kind === 'driver' && event.story === 'fault') {
    const names = things.nodes.size === 0 || [...things.nodes].some((node) => event.text.split(/\W+/).includes(node))
    return { part: 'fault', cost: names ? 5 : 8 }
  }
  if (event.kind === 'driver' && event.story === 'step') return { part: 'step', cost: 9 }
  if (event.kind === 'diskFault') return { part: 'fault', cost: 8 }
  if (event.kind === 'crash' || event.kind === 'boot' || event.kind === 'pause' || event.kind === 'resume') {
    // That everything starts at the beginning explains nothing.
    if (event.kind === 'boot' && event.boot === 1) return undefined
    return { part: 'life', cost: things.nodes.has(event.node) ? 6 : 11 }
  }
  const kinds = evidenceIn(event)
  const ranks = evidence.flatMap((kind, rank) => (kinds.includes(kind) ? [{ kind, rank }] : []))
  // The first role of an event names it.
  ranks.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
  const best = ranks.toSorted((a, b) => costOf(event, a, things) - costOf(event, b, things))[0]
  if (best === undefined) return undefined
  const cost = costOf(event, best, things)
  return isLost(event) ? { part: 'lost', cost: cost + 2 } : { part: best.kind, cost }
}

function costOf(
  event: TraceRecord,
  { kind, rank }: { readonly kind: EvidenceKind; readonly rank: number },
  things: Things,
): number {
  const [first] = things.nodes
  const isNear = things.nodes.size === 0 || things.nodes.has(event.node) || hasPeer(event, things)
  // The server that a law accuses is named first.
  const nodes = first === undefined || event.node === first ? 0 : isNear ? 1 : 3
  return 4 + 2 * rank + nodes + (isAbout(event, kind, things) ? 0 : otherThing)
}

function hasPeer(event: TraceRecord, { nodes }: Things): boolean {
  return ('from' in event && nodes.has(event.from)) || ('to' in event && nodes.has(event.to))
}

function isAbout(event: TraceRecord, kind: EvidenceKind, things: Things): boolean {
  if (kind === 'configurations' || kind === 'restores') return true
  if (kind === 'complaints') return things.nodes.size === 0 || things.nodes.has(event.node)
  if (event.kind === 'note') {
    const committed = /^commits up to entry (\d+)/.exec(event.text)?.[1]
    const term = /in term (\d+)/.exec(event.text)?.[1]
    return committed === undefined ? things.terms.has(Number(term)) : things.indexes.has(Number(committed))
  }
  const meanings = meaningsIn(event).filter((meaning) => kindsOf(meaning).includes(kind))
  if (kind === 'members' || kind === 'probes') {
    return meanings.some((meaning) => 'member' in meaning && things.nodes.has(meaning.member))
  }
  if (ofPlace.has(kind)) return meanings.some((each) => isOfPlace(each, things) || namesThing(each, things))
  return meanings.some((meaning) => namesThing(meaning, things) || isEntryOf(meaning, things))
}

/** The event that this one completes: for a durable write the write, for a timer the event that set it. */
function meant(events: Events, event: TraceRecord): TraceRecord {
  let at = event
  for (let step = 0; step < unwrapMax && !saysSomething(at); step++) {
    const causes = events.causesOf(at)
    const next = causes.find(({ kind }) => kind === 'diskWrite') ?? causes[0]
    if (next === undefined) return event
    at = next
  }
  return saysSomething(at) ? at : event
}

function saysSomething(event: TraceRecord): boolean {
  const { kind } = event
  if (kind === 'driver') return event.story !== undefined
  return kind === 'boot' || kind === 'crash' || evidenceIn(event).length > 0
}

function isLost(event: TraceRecord): boolean {
  switch (event.kind) {
    case 'lost':
    case 'segmentLost':
      return true
    case 'datagram':
      return event.fate !== 'arrives'
    case 'datagramSent':
      return event.fate === 'lost' || event.fate === 'nobody' || event.fate === 'no room'
    default:
      return false
  }
}

function late(events: Events, event: TraceRecord): { readonly lateUs?: number } {
  if (event.kind !== 'segment' && event.kind !== 'datagram') return {}
  const sent = events.causesOf(event).find(({ kind }) => kind === 'segmentSent' || kind === 'datagramSent')
  return sent === undefined || event.t - sent.t < lateUs ? {} : { lateUs: event.t - sent.t }
}

function log2(value: number): number {
  return Math.log2(1 + value)
}
