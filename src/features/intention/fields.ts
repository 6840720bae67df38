import { z } from 'zod'
import { count, textPairs } from '../contract/fields.ts'

/** Fields of an intention, in commands and in snapshots. */

/** A UUID in lower case, as the leader draws it. */
export const intentionId = z.string().length(36)

export const place = z.strictObject({ namespace: z.string(), name: z.string() })

export const contentFields = {
  source: place,
  destination: place,
  action: z.enum(['allow', 'deny']),
  description: z.string(),
  meta: textPairs,
  defaultAddress: z.string(),
  defaultPort: count,
}
