import type { NamedMutant } from '../mutation/build.ts'
import type { FunctionPlace } from '../mutation/functions.ts'
import type { Candidate } from './code-candidates.ts'
import type { CodeTrial } from './code-trials.ts'

/** Maximum number of curing changes that are followed, and of changes that are tried for them. */
const curesMax = 3
const changesMax = 16
/** A function that is asked is less likely than the place that asks it by this much. */
const asked = 1

/**
 * Where a run passes with another value in place of an expression, the value may be wrong because what the expression asks
 * answers wrongly. These are the changes of the functions that it calls which were not tried, the likeliest first.
 */
export function upstreamOf(
  trials: readonly CodeTrial[],
  candidates: readonly Candidate[],
  functionAt: (file: string, at: NamedMutant['at']) => FunctionPlace | undefined,
): readonly Candidate[] {
  const tried = new Set(trials.map(({ candidate }) => candidate))
  const cures = trials
    .filter(({ outcome, holds, candidate }) => outcome === 'cured' && holds !== false && isValue(candidate))
    .toSorted((a, b) => a.candidate.cost - b.candidate.cost)
  const found = new Map<Candidate, Candidate>()
  for (const { candidate: cure } of cures.slice(0, curesMax)) {
    const names = calledIn(cure.mutant.before)
    for (const candidate of names.size === 0 ? [] : candidates) {
      const { file, at } = candidate.mutant
      if (tried.has(candidate) || found.has(candidate) || !names.has(functionAt(file, at)?.name ?? '')) continue
      found.set(candidate, { ...candidate, cost: Math.min(candidate.cost, cure.cost + asked) })
    }
  }
  return [...found.values()].slice(0, changesMax)
}

/** Whether the change replaces a value, and does not leave out a statement. */
function isValue({ mutant: { after } }: Candidate): boolean {
  return after !== ''
}

/** The names of the functions that an expression calls: `termAt` in `raft.log.termAt(index) !== raft.term`. */
export function calledIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/([#\w$]+)\(/g)].flatMap(([, name]) => name ?? []))
}
