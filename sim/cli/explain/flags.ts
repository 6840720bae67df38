import type { PlantFlags } from '../plant-flags.ts'

/** What `svc-sim explain` is asked for. */
export interface ExplainFlags extends PlantFlags {
  readonly seed?: number
  /** Which violation of the run, from 1 on. */
  readonly violation?: number
  /** Every event of the chain. */
  readonly all?: boolean
  readonly json?: boolean
  /** False: no run but the one that is explained. */
  readonly blame: boolean
  /** Change the code of the agent that led to it. */
  readonly code?: boolean
  /** CPU time of all runs, in milliseconds. */
  readonly budget?: number
  readonly runs?: number
  readonly quiet?: boolean
  readonly jobs?: number | undefined
  readonly stall?: number | undefined
  readonly steps?: number | undefined
}
