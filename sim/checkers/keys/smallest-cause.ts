import type { KeyOperation } from './key-history.ts'
import { judgeKey, type KeyLaw, type KeyViolation, relevantOperations } from './key-verdict.ts'

/** Maximum number of judgements spent on reads, and again on writes. What was found by then is a cause nevertheless. */
const judgementsMax = 500
/**
 * Maximum number of steps of each judgement, for a short history and per operation of a long one. An operation whose
 * judgement takes more counts as needed.
 */
const stepsMin = 10_000
const stepsForOperation = 4

/** What is known of an operation: everything, that it was called and may have taken effect, or nothing. */
type Knowledge = 'all' | 'asked' | 'nothing'

/**
 * A small part of a key's operations that cannot be explained: without any one of them the rest can be explained, as
 * far as the search went. In order of calls.
 *
 * Only what makes a history harder to explain is left out, so that the remainder proves as much as the whole:
 * 1. the answers after the blocked one, and later calls (a history is not linearizable if a beginning of it is not);
 * 2. reads and refused CAS, which change nothing;
 * 3. the answer of a write, so that it may have taken effect at any time after its call, or never.
 */
export function smallestCause(
  operations: readonly KeyOperation[],
  { blocked }: KeyViolation,
  { staleDefaultUs }: KeyLaw,
): readonly KeyOperation[] {
  const ordered = operations
    .filter((one) => one.callUs - staleDefaultUs <= blocked.returnUs)
    .sort((a, b) => a.callUs - b.callUs || a.returnUs - b.returnUs)
  const known: Knowledge[] = ordered.map((one) => (one.returnUs > blocked.returnUs ? weaker(one) : 'all'))
  const stepsMax = Math.max(stepsMin, ordered.length * stepsForOperation)
  const isCause = (): boolean => judgeKey(part(ordered, known), { staleDefaultUs, stepsMax }).kind === 'violation'
  // A read can be removed; a write without its answer may still have to be explained. So reads are tried first.
  for (const to of ['nothing', 'asked'] as const) {
    const candidates = [...ordered.keys()].filter((at) => {
      const one = ordered[at] as KeyOperation
      return known[at] === 'all' && one !== blocked && weaker(one) === to
    })
    weaken(known, candidates, to, isCause)
  }
  const left = ordered.map((one, at) => reduced(one, known[at] as Knowledge))
  const relevant = new Set(relevantOperations(left.filter((one) => one !== undefined)))
  return ordered.filter((_, at) => {
    const one = left[at]
    return one !== undefined && relevant.has(one)
  })
}

/** Reduces the knowledge of as many candidates as possible: halves first, then ever smaller parts. */
function weaken(
  known: Knowledge[],
  candidates: readonly number[],
  to: Exclude<Knowledge, 'all'>,
  isCause: () => boolean,
): void {
  let judgements = 0
  for (let size = Math.ceil(candidates.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    const left = candidates.filter((at) => known[at] === 'all')
    for (let from = 0; from < left.length && judgements < judgementsMax; from += size, judgements++) {
      const without = left.slice(from, from + size)
      for (const at of without) known[at] = to
      if (!isCause()) for (const at of without) known[at] = 'all'
    }
  }
}

function weaker({ kind, outcome }: KeyOperation): Exclude<Knowledge, 'all'> {
  return kind === 'read' || outcome === 'refused' ? 'nothing' : 'asked'
}

function part(operations: readonly KeyOperation[], known: readonly Knowledge[]): readonly KeyOperation[] {
  return operations.map((one, at) => reduced(one, known[at] as Knowledge)).filter((one) => one !== undefined)
}

function reduced(operation: KeyOperation, known: Knowledge): KeyOperation | undefined {
  if (known === 'nothing') return undefined
  return known === 'all' ? operation : { ...operation, outcome: 'unknown', returnUs: Number.POSITIVE_INFINITY }
}
