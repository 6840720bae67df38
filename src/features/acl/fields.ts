import { z } from 'zod'
import { count } from '../contract/fields.ts'

/** Fields of tokens and policies, in commands and in snapshots. */

/** A UUID in lower case. */
export const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
/** A UUID, or empty if there is none yet. */
const uuidOrNone = z.union([uuid, z.literal('')])

export const legacyType = z.enum(['client', 'management'])

const policyLink = z.strictObject({ id: z.string(), name: z.string() })
export const policyLinks = z.array(policyLink).readonly()

/** The members of a policy that its author sets. */
export const policyFields = {
  id: uuid,
  name: z.string(),
  description: z.string(),
  rules: z.string(),
  datacenters: z.array(z.string()).readonly(),
}

/** A whole token, with the indexes of its own datacenter. */
export const tokenFields = {
  secret: z.string().min(1),
  accessor: uuidOrNone,
  description: z.string(),
  type: z.union([legacyType, z.literal('')]),
  rules: z.string(),
  policies: policyLinks,
  local: z.boolean(),
  createdMs: count,
}
