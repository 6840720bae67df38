import type { ReadOptions } from '../../features/contract/reading.ts'

/** How an agent reads for itself what must be as it is now. */
export const freshRead: ReadOptions = {
  consistency: 'default',
  minIndex: 0,
  waitMs: 0,
  maxStaleMs: 0,
  datacenter: '',
}
