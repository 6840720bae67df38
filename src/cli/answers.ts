import { z } from 'zod'
import { textOf } from '../base/bytes.ts'

const entrySchema = z.object({
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
  LockIndex: z.number(),
  Key: z.string(),
  Flags: z.number(),
  Value: z.string().nullable(),
  Session: z.string().optional(),
})

const selfSchema = z.object({ Stats: z.record(z.string(), z.record(z.string(), z.string())) })

const configurationSchema = z.object({
  Servers: z.array(
    z.object({
      ID: z.string(),
      Node: z.string(),
      Address: z.string(),
      Leader: z.boolean(),
      ProtocolVersion: z.string(),
      Voter: z.boolean(),
    }),
  ),
})

export type Entry = z.infer<typeof entrySchema>
export type Stats = z.infer<typeof selfSchema>['Stats']
export type PeerList = z.infer<typeof configurationSchema>['Servers']

// Each gives undefined for an answer that is something else: who answers at the address may be anybody.

export function readKeys(body: Uint8Array): readonly string[] | undefined {
  return z.array(z.string()).safeParse(jsonOf(body)).data
}

export function readEntries(body: Uint8Array): readonly Entry[] | undefined {
  return z.array(entrySchema).safeParse(jsonOf(body)).data
}

export function readStats(body: Uint8Array): Stats | undefined {
  return selfSchema.safeParse(jsonOf(body)).data?.Stats
}

export function readPeers(body: Uint8Array): PeerList | undefined {
  return configurationSchema.safeParse(jsonOf(body)).data?.Servers
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
