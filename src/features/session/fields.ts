import { z } from 'zod'

/** The members of a session, in commands and in snapshots. */
export const sessionFields = {
  id: z.string().length(36),
  name: z.string(),
  node: z.string(),
  checks: z.array(z.string()).readonly(),
  behaviour: z.enum(['release', 'delete']),
  lockDelayNs: z.number().nonnegative(),
  ttl: z.string(),
  ttlMs: z.number().nonnegative(),
}
