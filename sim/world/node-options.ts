import type { DiskOptions } from './disk/disk.ts'
import type { ClockOptions } from './node-clock.ts'

export interface NodeOptions {
  readonly name: string
  /** Its IP address. */
  readonly host: string
  readonly clock?: ClockOptions
  readonly disk?: DiskOptions
  /** Directories that are there, durably, before the first boot. */
  readonly directories?: readonly string[]
  readonly cpuCount?: number
}
