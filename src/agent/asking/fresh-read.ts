import type { ReadOptions } from '../../features/contract/reading.ts'

/** Options of the agent's own reads that need the present state. */
export const freshRead: ReadOptions = {
  consistency: 'default',
  minIndex: 0,
  waitMs: 0,
  maxStaleMs: 0,
  datacenter: '',
}
