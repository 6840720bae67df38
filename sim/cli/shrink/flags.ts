import type { PlantFlags } from '../plant.ts'

/** What `svc-sim shrink` is asked for. */
export interface ShrinkFlags extends PlantFlags {
  readonly seed?: number
  readonly out?: string
  /** CPU time of all runs, in milliseconds. */
  readonly budget?: number
  readonly runs?: number
  readonly quiet?: boolean
  readonly jobs?: number | undefined
  readonly stall?: number | undefined
  readonly steps?: number | undefined
}
