import { type InvariantCode, invariants } from '../../checkers/checkers.ts'
import { type ChainLine, type Explanation, named, type ShownLine } from '../../explain/explanation.ts'
import { clean } from '../trace/printing.ts'

/** Longest words of one event. */
const whatMax = 150
const nodeWidthMax = 12

/** What is broken, and what it is about. */
export function headLines({ violation, things, agents }: Explanation, place: string): readonly string[] {
  const { code, text, t } = violation
  const law = isCode(code) ? [`  ${code} demands ${invariants[code].text}`] : []
  const about = [
    ...things.nodes,
    ...[...things.terms].map((term) => `term ${term}`),
    ...[...things.indexes].map((index) => `index ${index}`),
    ...things.names,
  ].map(clean)
  const shown = about.slice(0, 8).join(', ')
  const rest = about.length > 8 ? ` and ${about.length - 8} more` : ''
  return [
    `${isCode(code) ? code : place} is violated at ${seconds(t)} s: ${clean(named(text, agents))}`,
    ...law,
    ...(about.length === 0 ? [] : [`  It is about ${shown}${rest}.`]),
  ]
}

/** The chain, a line for each event: time, machine, what happened, and why it matters. */
export function chainLines(lines: readonly ShownLine[]): readonly string[] {
  const width = Math.min(nodeWidthMax, Math.max(4, ...lines.map((line) => ('node' in line ? line.node.length : 0))))
  return lines.map((line) => ('more' in line ? foldedText(line, width) : lineText(line, width)))
}

function lineText({ chained, node, what, why }: ChainLine, width: number): string {
  const mark = chained.isCause ? ' ' : '·'
  return `${mark}${seconds(chained.event.t).padStart(11)}  ${clean(node).padEnd(width)}  ${cut(clean(what))} — ${why}`
}

function foldedText({ more, last }: Extract<ShownLine, { readonly more: number }>, width: number): string {
  return `${' '.repeat(width + 16)}… ${more} more such, until ${seconds(last.chained.event.t)}`
}

export function isCode(code: string): code is InvariantCode {
  return Object.hasOwn(invariants, code)
}

export function seconds(us: number): string {
  return (us / 1_000_000).toFixed(6)
}

function cut(text: string): string {
  return text.length <= whatMax ? text : `${text.slice(0, whatMax - 1)}…`
}
