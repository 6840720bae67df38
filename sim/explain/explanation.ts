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

/** A violation with all events of its run that may explain it. */
export interface Explanation {
  readonly violation: Extract<TraceRecord, { readonly kind: 'violation' }>
  readonly things: Things
  /** In order of time; the violation is the last. */
  readonly chain: readonly ChainEvent[]
  /** Names of agents by their IDs, as they announced them. */
  readonly agents: ReadonlyMap<string, string>
}

/** One line of an explanation. */
export interface ChainLine extends Sentence {
  readonly chained: ChainEvent
}

/** The printed lines: a line, or the number of similar ones that it replaces. */
export type ShownLine = ChainLine | { readonly more: number; readonly like: ChainLine; readonly last: ChainLine }

/** Explains the violation at this position of the run's list, counted from 0. Undefined: there is no such position. */
export function explained(events: Events, place: number, evidence: readonly EvidenceKind[]): Explanation | undefined {
  const violation = events.all.filter((event) => event.kind === 'violation')[place]
  if (violation === undefined) return undefined
  const agents = agentsIn(events)
  const nodes = [...new Set(events.all.map(({ node }) => node))].filter((node) => node !== 'world')
  const things = thingsOf(withAgents(violation.text, agents), nodes, events.causesOf(violation))
  return { violation, things, chain: chainOf(events, violation, { evidence, things }), agents }
}

/** The most explanatory lines, in order of time. */
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

/** Maximum number of lines about other things than the violation, so that they do not hide the others. */
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

/** Replaces IDs of agents by their names, and shortens other IDs. */
export function named(text: string, agents: Explanation['agents']): string {
  return text.replaceAll(idPattern, (id) => agents.get(id) ?? `${id.slice(0, 8)}…`)
}

/** Leaves out what differs between similar lines: numbers, and which agent it is. */
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
