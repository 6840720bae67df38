/** Whether a read was answered from what the agent keeps; with `hit`, for how many seconds that may be out of date. */
export interface CacheUse {
  readonly hit: boolean
  readonly ageS: number
}
