import { recordWords } from '../report/record-text.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { Comparison } from './comparison.ts'
import type { ChainDifferences, Differences, RootDifference } from './differences.ts'
import type { RunReading } from './reading.ts'

/** One run, for readers. */
export interface Told {
  /** `crash.yaml, seed 3`. */
  readonly title: string
  /** Records of the shown events, by position. */
  readonly records: ReadonlyMap<number, TraceRecord>
}

const wordsMax = 150

/** The output for readers: at most some thirty lines. */
export function comparisonLines(
  comparison: Comparison,
  shown: Differences,
  told: { readonly a: Told; readonly b: Told },
): readonly string[] {
  const { a, b } = comparison
  const [sideA, sideB] = [new Side('A', a, told.a), new Side('B', b, told.b)]
  return [
    sideA.head(),
    sideB.head(),
    ...alikeLines(comparison),
    ...divergenceLines(shown.divergence, sideA, sideB),
    ...chainLines(comparison, shown.chain, sideA, sideB),
    ...onlyLines('A', comparison.differences.onlyInA.length, shown.onlyInA, sideA),
    ...onlyLines('B', comparison.differences.onlyInB.length, shown.onlyInB, sideB),
  ]
}

/** The text of one run. */
class Side {
  readonly letter: string
  readonly run: RunReading
  readonly #told: Told

  constructor(letter: string, run: RunReading, told: Told) {
    this.letter = letter
    this.run = run
    this.#told = told
  }

  head(): string {
    const { table, endUs } = this.run
    const { failure } = table
    const end =
      failure === undefined
        ? `passes, ${seconds(endUs)} s`
        : `fails at ${seconds(table.timesUs[failure.at] ?? 0)} s: ${cut(this.run.named(failure.text))}`
    return `${this.letter}: ${this.#told.title}: ${end}`
  }

  /** `  A   9.412803  s3  #1234  gets from s1 …`. */
  line(at: number, letter = this.letter): string {
    const record = this.#told.records.get(at)
    if (record === undefined) return `  ${letter}  it has ended`
    const words = cut(this.run.named(recordWords(record)).replaceAll(/[\p{Cc}]+/gu, ' '))
    return `  ${letter}  ${seconds(record.t).padStart(11)}  ${record.node.padEnd(5)} ${`#${record.n}`.padStart(7)}  ${words}`
  }
}

function alikeLines({ a, b, alignment }: Comparison): readonly string[] {
  const { equal, pairs } = alignment
  const [sizeA, sizeB] = [a.table.size, b.table.size]
  const rest = Math.max(sizeA, sizeB) - equal
  const share = rest === 0 ? '' : `; of the others ${Math.round((100 * (pairs - equal)) / rest)} % have a counterpart`
  return [`   ${sizeA} and ${sizeB} events: the first ${equal} are equal and come at the same microsecond${share}`]
}

function divergenceLines(divergence: number | undefined, a: Side, b: Side): readonly string[] {
  if (divergence === undefined) return ['the runs are equal']
  return ['first divergence:', a.line(divergence), b.line(divergence)]
}

function chainLines(
  { alignment }: Comparison,
  chain: ChainDifferences | undefined,
  a: Side,
  b: Side,
): readonly string[] {
  if (chain === undefined) return ['neither run fails, so that there is no chain of causes to look at']
  const [first, ...more] = chain.roots
  const swapped = chain.swapped && [
    'on the chain, first in the other order in B:',
    a.line(chain.swapped.first),
    a.line(chain.swapped.second),
    b.line(alignment.there[chain.swapped.second] as number),
    b.line(alignment.there[chain.swapped.first] as number),
  ]
  const size = `of the ${chain.events} events that led to the failure of A, ${chain.alone} have no counterpart in B`
  if (first === undefined) return [size, ...(swapped ?? ['only times differ on the chain'])]
  return [
    `first difference on the chain of causes (${size}):`,
    ...rootLines(first, a, b),
    ...(more.length === 0 ? [] : ['last differences on it before the failure, whose causes both have:']),
    ...more.map(({ at }) => a.line(at)),
    ...(swapped ?? []),
  ]
}

function rootLines({ at, from, instead }: RootDifference, a: Side, b: Side): readonly string[] {
  if (from === undefined) return [a.line(at), '  B  has nothing like it']
  return [
    a.line(from.inA, '='),
    a.line(at),
    ...(instead.length === 0 ? [`${b.line(from.inB, '=')}`, '  B  nothing follows from it that A has not'] : []),
    ...instead.map((each) => b.line(each)),
  ]
}

function onlyLines(letter: string, count: number, shown: readonly number[], side: Side): readonly string[] {
  if (count === 0) return []
  const more = count > shown.length ? `, the first ${shown.length} of them` : ''
  return [`faults and operations of ${letter} alone: ${count}${more}`, ...shown.map((at) => side.line(at))]
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(6)
}

function cut(text: string): string {
  return text.length <= wordsMax ? text : `${text.slice(0, wordsMax - 1)}…`
}
