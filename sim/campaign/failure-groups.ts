import { compareText } from '../../src/base/bytes.ts'
import { forkFlags } from '../report/forks.ts'
import type { SeedRecord } from '../report/seed-record.ts'

/** Maximum number of failures of one kind that are printed, and kept with all details. */
export const shownOfKind = 3
/** Maximum number of kinds; a campaign with more has one cause that no fingerprint recognizes. */
const kindsMax = 10_000
/** Maximum number of scenarios of one kind that are counted. */
const scenariosMax = 1_000
const messageMax = 600

/** A failure for inspection. */
export interface Example {
  readonly scenario: string
  readonly file: string
  readonly page: string
  readonly seed: number
  /** For a guided run. */
  readonly forks: SeedRecord['forks']
  readonly verdict: SeedRecord['verdict']
  /** What was not met and where, or why there is no verdict. */
  readonly what: string
}

/** Failures that most likely have one cause. */
export interface FailureGroup {
  readonly fingerprint: string
  readonly failures: number
  /** Number of them that are of guided runs. */
  readonly guided: number
  /** Titles of scenarios, sorted. */
  readonly scenarios: readonly string[]
  /** The failures of the smallest seeds, plain ones first. */
  readonly examples: readonly Example[]
}

interface Group {
  failures: number
  guided: number
  readonly scenarios: Set<string>
  readonly examples: Example[]
}

/** Failures of a campaign by their kind; limited in size, whatever fails. */
export class FailureGroups {
  readonly #groups = new Map<string, Group>()
  #others = 0

  /** Counts one; returns its number among those of its kind, counted from 1. */
  count(fingerprint: string, { scenario, forks }: Pick<SeedRecord, 'scenario' | 'forks'>): number {
    const group = this.#groupOf(fingerprint)
    if (group === undefined) return ++this.#others + shownOfKind
    if (group.scenarios.size < scenariosMax) group.scenarios.add(scenario)
    if (forks !== undefined) group.guided++
    return ++group.failures
  }

  /** Offers it as an example: the smallest seeds are kept, in whatever order they come. */
  offer(fingerprint: string, record: SeedRecord): void {
    const group = this.#groupOf(fingerprint)
    if (group === undefined || (record.failures.length === 0 && record.notes.length === 0)) return
    const { examples } = group
    const example = exampleOf(record)
    const name = ({ page, seed, forks }: Example): string => `${page} ${seed}${forkFlags(forks)}`
    const same = examples.findIndex((one) => name(one) === name(example))
    if (same < 0) examples.push(example)
    else if (byPlace(example, examples[same] as Example) < 0) examples[same] = example
    examples.sort(byPlace)
    examples.length = Math.min(examples.length, shownOfKind)
  }

  /** Number of failures beyond the maximum number of kinds. */
  get others(): number {
    return this.#others
  }

  /** In arbitrary order. */
  get groups(): readonly FailureGroup[] {
    return [...this.#groups].map(([fingerprint, { failures, guided, scenarios, examples }]) => {
      return { fingerprint, failures, guided, scenarios: [...scenarios].toSorted(compareText), examples }
    })
  }

  examplesOf(fingerprint: string): readonly Example[] {
    return this.#groups.get(fingerprint)?.examples ?? []
  }

  #groupOf(fingerprint: string): Group | undefined {
    const there = this.#groups.get(fingerprint)
    if (there !== undefined || this.#groups.size >= kindsMax) return there
    const made: Group = { failures: 0, guided: 0, scenarios: new Set(), examples: [] }
    this.#groups.set(fingerprint, made)
    return made
  }
}

function exampleOf({ scenario, file, page, seed, forks, verdict, failures, notes }: SeedRecord): Example {
  const [first] = failures
  const what = first === undefined ? (notes[0] ?? verdict) : `${first.place}: ${first.message}`
  return { scenario, file, page, seed, forks, verdict, what: what.slice(0, messageMax) }
}

/** The most frequent kind first. */
export function byFrequency(one: FailureGroup, other: FailureGroup): number {
  return other.failures - one.failures || compareText(one.fingerprint, other.fingerprint)
}

function byPlace(one: Example, other: Example): number {
  const texts = ({ scenario, file, forks, what }: Example): string =>
    `${scenario}\n${forkFlags(forks)}\n${file}\n${what}`
  const depth = ({ forks = [] }: Example): number => forks.length
  return depth(one) - depth(other) || one.seed - other.seed || compareText(texts(one), texts(other))
}
