import type { TraceRecord } from '../report/trace-record.ts'
import type { Comparison } from './comparison.ts'
import type { Told } from './comparison-text.ts'
import type { Differences } from './differences.ts'
import type { RunReading } from './reading.ts'

/** The output for programs: the same differences as for readers, with whole events. */
export function comparisonJson(
  { a, b, isTurned, alignment, differences: all }: Comparison,
  { divergence, chain, onlyInA, onlyInB }: Differences,
  told: { readonly a: Told; readonly b: Told },
): object {
  const inA = (at: number | undefined): TraceRecord | undefined =>
    at === undefined ? undefined : told.a.records.get(at)
  const inB = (at: number | undefined): TraceRecord | undefined =>
    at === undefined ? undefined : told.b.records.get(at)
  return {
    a: sideJson(a, told.a),
    b: sideJson(b, told.b),
    turned: isTurned,
    equal: alignment.equal,
    pairs: alignment.pairs,
    divergence: divergence === undefined ? undefined : { a: inA(divergence), b: inB(divergence) },
    chain: chain && {
      events: chain.events,
      alone: chain.alone,
      roots: chain.roots.map(({ at, from, instead }) => ({
        event: inA(at),
        from: from && { a: inA(from.inA), b: inB(from.inB) },
        instead: instead.map(inB),
      })),
      swapped:
        chain.swapped &&
        [chain.swapped.first, chain.swapped.second].map((at) => ({
          a: inA(at),
          b: inB(alignment.there[at]),
        })),
    },
    only: {
      a: { count: all.onlyInA.length, first: onlyInA.map(inA) },
      b: { count: all.onlyInB.length, first: onlyInB.map(inB) },
    },
  }
}

function sideJson({ table, endUs }: RunReading, { title }: Told): object {
  const { failure } = table
  return {
    title,
    events: table.size,
    endUs,
    failure: failure && { event: table.numbers[failure.at], atUs: table.timesUs[failure.at], text: failure.text },
  }
}
