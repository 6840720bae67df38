import type { PlantFlags } from '../plant-flags.ts'

/** The options of `svc-sim explain`. */
export interface ExplainFlags extends PlantFlags {
  readonly seed?: number
  /** Which violation of the run, counted from 1. */
  readonly violation?: number
  /** Show every event of the chain. */
  readonly all?: boolean
  readonly json?: boolean
  /** A page that shows the run, with what explains it. */
  readonly html?: string
  /** False: make no other run than the explained one. */
  readonly blame: boolean
  /** Change the code of the agent that led to the failure. */
  readonly code?: boolean
  /** CPU time of all runs, in milliseconds. */
  readonly budget?: number
  readonly runs?: number
  readonly quiet?: boolean
  readonly jobs?: number | undefined
  readonly stall?: number | undefined
  readonly steps?: number | undefined
}
