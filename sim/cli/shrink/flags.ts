import type { PlantFlags } from '../plant-flags.ts'

/** What `svc-sim shrink` is asked for. */
export interface ShrinkFlags extends PlantFlags {
  readonly seed?: number
  /** Which violation of the run, from 1 on. */
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
