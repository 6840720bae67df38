import type { SeedRange } from '../run-flags.ts'

/** The options of `svc-sim mutate`. */
export interface MutateFlags {
  readonly room: readonly string[]
  readonly sample: number
  readonly seed: string
  /** Milliseconds of CPU time of runs, and of real time of tests. */
  readonly budget: number
  readonly jobs?: number
  readonly scenarios?: readonly string[]
  readonly seeds: SeedRange
  /** Planted bugs by which mutants of the checkers are judged; absent: all. */
  readonly bug?: readonly string[]
  readonly jsonl?: string
  readonly resume?: boolean
  /** Only these mutants, by their identities. */
  readonly mutant?: readonly string[]
  readonly list?: boolean
  /** Judge no mutant, but list what no run does. */
  readonly never?: boolean
  /** Folders of tests that judge what no run kills; `true`: the usual ones. */
  readonly tests?: readonly string[] | true
  /** Where to write the score and the survivors as tables. */
  readonly markdown?: string
}
