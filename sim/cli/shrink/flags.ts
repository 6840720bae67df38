import type { PlantFlags } from '../plant-flags.ts'

/** The options of `svc-sim shrink`. */
export interface ShrinkFlags extends PlantFlags {
  readonly seed?: number
  /** Which violation of the run, counted from 1. */
  readonly violation?: number
  readonly out?: string
  /** CPU time of all runs, in milliseconds. */
  readonly budget?: number
  readonly runs?: number
  readonly quiet?: boolean
  readonly jobs?: number | undefined
  readonly stall?: number | undefined
  readonly steps?: number | undefined
}
