import { z } from 'zod'

const links = z
  .array(z.object({ ID: z.string(), Name: z.string() }))
  .nullable()
  .transform((policies) => policies ?? [])

const tokenFacts = {
  AccessorID: z.string(),
  Description: z.string(),
  Local: z.boolean(),
  CreateTime: z.string(),
  Hash: z.string().nullable().optional(),
  Policies: links,
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
}

/** Reference: access-control.md#token-object. */
export const tokenSchema = z.object({ ...tokenFacts, SecretID: z.string(), Rules: z.string().optional() })
export const tokenStubSchema = z.object({ ...tokenFacts, Legacy: z.boolean().optional() })
export const tokenStubsSchema = z
  .array(tokenStubSchema)
  .nullable()
  .transform((tokens) => tokens ?? [])

const policyFacts = {
  ID: z.string(),
  Name: z.string(),
  Description: z.string(),
  Datacenters: z
    .array(z.string())
    .nullable()
    .optional()
    .transform((names) => names ?? []),
  Hash: z.string().nullable().optional(),
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
}

/** Reference: access-control.md#policy-object. */
export const policySchema = z.object({ ...policyFacts, Rules: z.string().default('') })
export const policyStubsSchema = z
  .array(z.object(policyFacts))
  .nullable()
  .transform((policies) => policies ?? [])

export type Token = z.infer<typeof tokenSchema>
export type TokenStub = z.infer<typeof tokenStubSchema>
export type Policy = z.infer<typeof policySchema>
export type PolicyStub = z.infer<typeof policyStubsSchema>[number]
