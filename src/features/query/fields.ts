import { z } from 'zod'
import { textPairs } from '../contract/fields.ts'

const texts = z.array(z.string()).readonly()

/** The search of a query, in requests, in commands and in snapshots. */
export const serviceQueryFields = z.strictObject({
  service: z.string(),
  failover: z.strictObject({ nearestN: z.number().int(), datacenters: texts.nullable() }),
  onlyPassing: z.boolean(),
  ignoreCheckIds: texts.nullable(),
  near: z.string(),
  tags: texts.nullable(),
  nodeMeta: textPairs.nullable(),
  connect: z.boolean(),
})

/** A query without its ID. */
export const definitionFields = {
  name: z.string(),
  session: z.string(),
  token: z.string(),
  template: z.strictObject({ type: z.string(), regexp: z.string(), removeEmptyTags: z.boolean() }),
  service: serviceQueryFields,
  dns: z.strictObject({ ttl: z.string() }),
}

export const queryId = z.string().length(36)
