import type { PlantFlags } from '../plant-flags.ts'

/** The options of `svc-sim fork`. */
export interface ForkFlags extends PlantFlags {
  readonly seed?: number
  readonly at?: string
  readonly tries: number
  readonly curve?: boolean
  readonly from?: string
  readonly to?: string
  readonly points: number
  readonly svg?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly jobs?: number
  readonly stall?: number
  readonly steps?: number
}
