import type { Fork } from '../../world/decisions/decisions.ts'
import type { PlantFlags } from '../plant-flags.ts'

/** The options of `svc-sim diff`. */
export interface DiffFlags extends PlantFlags {
  readonly seed?: number
  readonly seeds?: readonly [number, number]
  /** Another build: the folder of a checkout. */
  readonly against?: string
  /** The second run is the first one, with other draws from here on. */
  readonly fork?: Fork
  readonly json?: boolean
}
