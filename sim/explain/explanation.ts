import type { EvidenceKind } from '../checkers/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { chainOf } from './chain.ts'
import type { ChainEvent } from './chain-event.ts'
import type { Events } from './events.ts'
import { meaningsIn } from './evidence.ts'
import { shortened } from './folding.ts'
import { type Sentence, sentenceOf } from './sentences.ts'
import { type Things, thingsOf } from './things.ts'

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A violation with everything in its run that may tell how it came. */
export interface Explanation {
  readonly violation: Extract<TraceRecord, { readonly kind: 'violation' }>
  readonly things: Things
  /** In the order of time; the violation is the last. */
  readonly chain: readonly ChainEvent[]
  /** Names of agents by their IDs, as they told them. */
  readonly agents: ReadonlyMap<string, string>
}

/** One line of an explanation. */
export interface ChainLine extends Sentence {
  readonly chained: ChainEvent
}

/** What people read: a line, or how many there are in its place. */
export type ShownLine = ChainLine | { readonly more: number; readonly like: ChainLine; readonly last: ChainLine }

/** Explains the violation at this place in the run's list, counted from 0. Undefined: the list has no such place. */
export function explained(events: Events, place: number, evidence: readonly EvidenceKind[]): Explanation | undefined {
  const violation = events.all.filter((event) => event.kind === 'violation')[place]
  if (violation === undefined) return undefined
  const agents = agentsIn(events)
  const nodes = [...new Set(events.all.map(({ node }) => node))].filter((node) => node !== 'world')
  const things = thingsOf(withAgents(violation.text, agents), nodes, events.causesOf(violation))
  return { violation, things, chain: chainOf(events, violation, { evidence, things }), agents }
}

/** The lines that tell most, in the order of time. */
export function shownLines({ chain, things, agents }: Explanation, most: number): readonly ShownLine[] {
  const lines = chain.map((chained) => {
    const { node, what, why } = sentenceOf(chained, things)
    return { chained, node, what: named(what, agents), why }
  })
  const shown = shortened(most === Number.POSITIVE_INFINITY ? lines : mostlyAbout(lines), most, {
    shapeOf,
    costOf: ({ chained }) => chained.cost,
  })
  return shown.map((each) => ('line' in each ? each.line : each))
}

/** Lines about other things than the violation: a few, so that they do not hide the others. */
const strangersMax = 6

function mostlyAbout(lines: readonly ChainLine[]): readonly ChainLine[] {
  const strangers = lines.filter(({ chained }) => chained.isStranger)
  if (strangers.length <= strangersMax) return lines
  const near = new Set(strangers.toSorted((a, b) => a.chained.cost - b.chained.cost).slice(0, strangersMax))
  return lines.filter((line) => !line.chained.isStranger || near.has(line))
}

function withAgents(text: string, agents: Explanation['agents']): string {
  return text.replaceAll(idPattern, (id) => agents.get(id) ?? id)
}

/** With the names of agents in place of their IDs, and of other IDs the beginning. */
export function named(text: string, agents: Explanation['agents']): string {
  return text.replaceAll(idPattern, (id) => agents.get(id) ?? `${id.slice(0, 8)}…`)
}

/** What differs from line to line without telling another story: numbers, and which agent it is. */
function shapeOf({ chained, what }: ChainLine): string {
  return `${chained.part} ${what.replaceAll(/\b[0-9a-f-]{36}\b/g, '#').replaceAll(/[\d.]+/g, '#')}`
}

function agentsIn(events: Events): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const event of events.all) {
    for (const meaning of meaningsIn(event)) {
      if (meaning.layer === 'rpc' && meaning.name === 'hello') names.set(meaning.id, meaning.node)
    }
  }
  return names
}
