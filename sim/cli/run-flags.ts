import type { Fork } from '../world/decisions/decisions.ts'
import type { PlantFlags } from './plant-flags.ts'
import type { TraceFlags } from './trace-files.ts'

export interface SeedRange {
  readonly first: number
  readonly last: number
}

export const storyKinds = ['brief', 'full', 'none'] as const

/** What `svc-sim run` is asked for. */
export interface RunFlags extends TraceFlags, PlantFlags {
  readonly seed?: number
  readonly seeds?: SeedRange
  /** Times at which the runs go on with other chance. */
  readonly fork?: readonly Fork[]
  readonly verify?: boolean
  readonly history?: string
  /** Where to write what was decided. */
  readonly decisions?: string
  /** A list of decisions: these are made, and every other one is the default one. */
  readonly replay?: string
  readonly quiet?: boolean
  /** How much of what happens is told while one seed runs; absent: brief. */
  readonly story?: (typeof storyKinds)[number]
  readonly json?: boolean
  /** Where to write the same lines of JSON. */
  readonly jsonl?: string
  /** Where to write a report in the form of JUnit. */
  readonly junit?: string
  readonly untilFailure?: boolean
  /** Make the first failure smaller. */
  readonly shrink?: boolean
  /** False: runs need not come to what their scenario demands. */
  readonly demands?: boolean
  /** Bound of the search that decides the history of one key. */
  readonly steps?: number
  /** Number of processes; absent: one for each core. */
  readonly jobs?: number
  /** CPU time that a seed may use while its virtual time stands still, in milliseconds. */
  readonly stall?: number
}

/** CPU time that a seed may use while its virtual time stands still, in milliseconds. */
export const usualStallMs = 120_000
