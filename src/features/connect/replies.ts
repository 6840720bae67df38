import { z } from 'zod'
import { count, stateIndex } from '../contract/fields.ts'
import { options, pemList } from './fields.ts'
import { rootRow } from './tables.ts'

/** Schemas of what the servers answer about the authority. */

export const rootsListReply = z.object({
  activeRootId: z.string(),
  trustDomain: z.string(),
  roots: z.array(rootRow).readonly(),
})

const stamps = { createIndex: stateIndex, modifyIndex: stateIndex }

export const shownConfiguration = z.object({ provider: z.string(), options, ...stamps })

export const signedAuthority = z.object({ rootId: z.string(), certificate: z.string(), behind: pemList })

export const issuedLeaf = z.object({
  serialNumber: z.string(),
  certificates: z.string(),
  rootId: z.string(),
  service: z.string(),
  serviceUri: z.string(),
  notBeforeMs: z.number(),
  notAfterMs: z.number(),
  ...stamps,
})

const forecastRoot = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  active: z.boolean(),
  expiresMs: z.number(),
  leaves: z.array(z.object({ datacenter: z.string(), expiresMs: z.number() })),
  goesMs: z.number(),
})

export const authorityForecast = z.object({
  nowMs: z.number(),
  state: z.enum(['not-begun', 'ready', 'rotating', 'degraded']),
  problem: z.string(),
  provider: z.string(),
  trustDomain: z.string(),
  leafTtlMs: z.number(),
  leafExpiresMs: z.number(),
  roots: z.array(forecastRoot),
  crossings: z.array(z.object({ rootId: z.string(), byRootId: z.string(), expiresMs: z.number() })),
  rotation: z
    .object({
      id: count,
      step: z.string(),
      provider: z.string(),
      startedMs: z.number(),
      beginsMs: z.number(),
    })
    .nullable(),
  rotationNow: z.object({
    possible: z.boolean(),
    why: z.string(),
    beginsMs: z.number(),
    roots: z.number(),
    certificates: z.number(),
    oldRootGoesMs: z.number(),
    leavesHoldMs: z.number(),
  }),
})
