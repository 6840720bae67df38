import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { parseDocument } from '../../config/sources/document.ts'

const anything = z.record(
  z.string(),
  z.custom<Json>(() => true),
)

/** Reference: mesh.md#ca-configuration. */
export const authoritySchema = z.object({
  Provider: z.string(),
  Config: anything.nullable().transform((config) => config ?? {}),
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
})

const moment = z.string()

/** For /v1/connect/ca/forecast. A missing time is empty. */
export const forecastSchema = z.object({
  Now: moment,
  State: z.string(),
  Problem: z.string(),
  Provider: z.string(),
  TrustDomain: z.string(),
  LeafCertTTL: z.string(),
  LeafExpires: moment,
  Roots: z.array(
    z.object({
      ID: z.string(),
      Name: z.string(),
      Provider: z.string(),
      Active: z.boolean(),
      Expires: moment,
      Leaves: z.array(z.object({ Datacenter: z.string(), Expires: moment })),
      Goes: moment,
    }),
  ),
  Crossings: z.array(z.object({ RootID: z.string(), SignedByRootID: z.string(), Expires: moment })),
  Rotation: z
    .object({ ID: z.number(), Step: z.string(), Provider: z.string(), Started: moment, Begins: moment.default('') })
    .nullable(),
  RotationNow: z.object({
    Possible: z.boolean(),
    Why: z.string(),
    Begins: moment.default(''),
    Roots: z.number(),
    CertificatesOfLeaf: z.number(),
    OldRootGoes: moment,
    LeavesHoldUntil: moment,
  }),
})

const authorityInFile = z.object({
  Provider: z.string('set Provider to a text'),
  Config: z.looseObject({}, 'set Config to an object'),
  ForceWithoutCrossSigning: z.boolean('write true or false').optional(),
})

/** Why a file cannot be a configuration of the authority; undefined if it can. */
export function authorityProblem(file: string, text: string): string | undefined {
  const document = parseDocument(file, text)
  if (!document.ok) return `${document.error.place}: ${document.error.message}`
  const read = authorityInFile.safeParse(document.value.value)
  if (read.success) return undefined
  const issue = read.error.issues[0]
  return `${document.value.placeOf(issue?.path ?? [])}: ${issue?.message ?? 'it cannot be read'}`
}

/** Reference: mesh.md#intentions. */
export const intentionSchema = z.object({
  ID: z.string(),
  Description: z.string(),
  SourceNS: z.string(),
  SourceName: z.string(),
  DestinationNS: z.string(),
  DestinationName: z.string(),
  Action: z.string(),
  Meta: z
    .record(z.string(), z.string())
    .nullable()
    .transform((meta) => meta ?? {}),
  CreatedAt: z.string(),
})

export type Intention = z.infer<typeof intentionSchema>

export const intentionsSchema = z
  .array(intentionSchema)
  .nullable()
  .transform((intentions) => intentions ?? [])

/** By name, in the order of their precedence. */
export const matchSchema = z.record(z.string(), intentionsSchema)

export const allowedSchema = z.object({ Allowed: z.boolean() })
export const createdSchema = z.object({ ID: z.string() })

/** The required members of an intention in a file; further members are sent along. */
export const intentionInFile = z.looseObject({
  SourceName: z.string('set SourceName to a text'),
  DestinationName: z.string('set DestinationName to a text'),
  SourceNS: z.string().optional(),
  DestinationNS: z.string().optional(),
  Action: z.enum(['allow', 'deny'], "set Action to 'allow' or 'deny'"),
})
