import type { Fork } from '../../world/decisions/decisions.ts'
import type { PlantFlags } from '../plant-flags.ts'

/** What `svc-sim diff` is asked for. */
export interface DiffFlags extends PlantFlags {
  readonly seed?: number
  readonly seeds?: readonly [number, number]
  /** Another build: the folder of a checkout. */
  readonly against?: string
  /** The second run is the first one with other chance from here on. */
  readonly fork?: Fork
  readonly json?: boolean
}
