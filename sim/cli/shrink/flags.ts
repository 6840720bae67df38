/** What `svc-sim shrink` is asked for. */
export interface ShrinkFlags {
  readonly seed?: number
  readonly out?: string
  /** CPU time of all runs, in milliseconds. */
  readonly budget?: number
  readonly runs?: number
  /** Row or name of a planted bug. */
  readonly bug?: string
  readonly quiet?: boolean
  readonly jobs?: number | undefined
  readonly stall?: number | undefined
  readonly steps?: number | undefined
}
