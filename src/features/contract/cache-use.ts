/**
 * Whether a read was answered from the agent's cache; with `hit`, for how many seconds the answer may be out of date.
 */
export interface CacheUse {
  readonly hit: boolean
  readonly ageS: number
}
