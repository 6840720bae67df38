import { z } from 'zod'
import type { ReadOptions, WriteIdentity } from '../features/manifest.ts'
import { blockingWaitDefaultMs, blockingWaitMaxMs } from '../model/limits.ts'

/** Body of a request between agents: the endpoint's arguments and what the caller asks of the answer. */
export const requestSchema = z.object({
  args: z.unknown(),
  read: z
    .object({
      consistency: z.enum(['default', 'consistent', 'stale']),
      minIndex: z.number().nonnegative(),
      waitMs: z.number().min(0).max(blockingWaitMaxMs),
      maxStaleMs: z.number().nonnegative(),
      datacenter: z.string().max(128),
    })
    .optional(),
  /** From a client agent: whoever receives it brings it to the server that must answer. */
  forward: z.boolean().optional(),
  identity: z.object({ origin: z.string().min(1).max(128), sequence: z.number().int().nonnegative() }).optional(),
})

export interface AgentRequest {
  readonly args: unknown
  readonly read?: ReadOptions | undefined
  readonly identity?: WriteIdentity | undefined
}

/** How long a blocking read may wait, before jitter. */
export function waitOf(read: ReadOptions): number {
  return read.waitMs === 0 ? blockingWaitDefaultMs : Math.min(read.waitMs, blockingWaitMaxMs)
}
