import { compare, type Mismatch } from './comparer.ts'
import { loadGolden, type Recorded } from './sequence.ts'

/** A recorded answer that this service gives otherwise, on purpose. */
export interface Divergence {
  readonly number: string
  /** Regular expressions. */
  readonly sequence: string
  readonly step: string
  readonly reason: string
}

/** Steps that cannot match before a feature exists. */
export interface NotYet {
  readonly sequence: string
  readonly feature: string
  /** The steps' IDs, or `all`: then the sequence is not played. */
  readonly steps: readonly string[] | 'all'
}

export function loadDivergences(): readonly Divergence[] {
  return loadGolden('divergences.json') as unknown as Divergence[]
}

export function loadNotYet(): readonly NotYet[] {
  return loadGolden('not-yet.json') as unknown as NotYet[]
}

export interface Verdict {
  readonly matched: readonly string[]
  /** By the number of the divergence. */
  readonly diverging: ReadonlyMap<string, string>
  /** By the feature that is missing. */
  readonly notYet: ReadonlyMap<string, string>
  /** What must not be: a step that differs without a reason, or one listed for a reason that no longer holds. */
  readonly faults: readonly string[]
}

/** Judges what a sequence was answered against its recording and the two lists of what may differ. */
export function judge(
  file: string,
  want: readonly Recorded[],
  got: readonly Recorded[],
  divergences: readonly Divergence[],
  notYet: readonly NotYet[],
): Verdict {
  const matched: string[] = []
  const diverging = new Map<string, string>()
  const waiting = new Map<string, string>()
  const faults: string[] = []
  const answers = new Map(got.map((step) => [step.id, step]))
  const features = new Map(
    notYet
      .filter((entry) => entry.sequence === file && entry.steps !== 'all')
      .flatMap(({ steps, feature }) => [...steps].map((step): [string, string] => [step, feature])),
  )
  for (const step of want) {
    const mismatches = compare(step, answers.get(step.id) ?? { id: step.id, error: 'not played' })
    const feature = features.get(step.id)
    const divergence = divergences.find(
      (entry) => new RegExp(entry.sequence).test(file) && new RegExp(entry.step).test(step.id),
    )
    if (mismatches.length === 0) {
      if (feature === undefined) matched.push(step.id)
      else faults.push(`${file} ${step.id}: matches now; take it off the list of what waits for ${feature}`)
    } else if (feature !== undefined) waiting.set(step.id, feature)
    else if (divergence !== undefined) diverging.set(step.id, divergence.number)
    else faults.push(`${file} ${step.id}:${mismatches.map(line).join('')}`)
  }
  for (const id of features.keys()) {
    if (!want.some((step) => step.id === id))
      faults.push(`${file} has no step ${id}, which the list of what waits names`)
  }
  return { matched, diverging, notYet: waiting, faults }
}

function line({ category, message }: Mismatch): string {
  return `\n    ${category}: ${message}`
}
