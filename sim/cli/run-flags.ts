import type { Fork } from '../world/decisions/decisions.ts'
import type { PlantFlags } from './plant-flags.ts'
import type { TraceFlags } from './trace-files.ts'

export interface SeedRange {
  readonly first: number
  readonly last: number
}

export const storyKinds = ['brief', 'full', 'none'] as const

/** The options of `svc-sim run`. */
export interface RunFlags extends TraceFlags, PlantFlags {
  readonly seed?: number
  readonly seeds?: SeedRange
  /** Times from which the runs continue with other draws. */
  readonly fork?: readonly Fork[]
  readonly verify?: boolean
  readonly history?: string
  /** Where to write the decisions. */
  readonly decisions?: string
  /** A list of decisions: these are made, and every other decision is the default. */
  readonly replay?: string
  readonly quiet?: boolean
  /** False: how much each invariant has judged is not printed. */
  readonly counts?: boolean
  /** How much of the story is printed while one seed runs; absent: brief. */
  readonly story?: (typeof storyKinds)[number]
  readonly json?: boolean
  /** Where to write the same JSON lines. */
  readonly jsonl?: string
  /** Where to write a report in JUnit's form. */
  readonly junit?: string
  readonly untilFailure?: boolean
  /** Shrink the first failure. */
  readonly shrink?: boolean
  /** False: runs need not meet their scenario's demands. */
  readonly demands?: boolean
  /** Limit of the search that decides the history of one key. */
  readonly steps?: number
  /** Number of processes; absent: one per core. */
  readonly jobs?: number
  /** CPU time that a seed may use while its virtual time stands still, in milliseconds. */
  readonly stall?: number
}

/** CPU time that a seed may use while its virtual time stands still, in milliseconds. */
export const usualStallMs = 120_000
