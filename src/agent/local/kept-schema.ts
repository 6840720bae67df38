import { z } from 'zod'
import type { CheckDefinition, CheckProbe, CheckStatus, OfferedService } from '../../model/catalog.ts'

/**
 * The format of the data directory. Members that this release does not know are dropped, so that a downgrade is
 * possible.
 */

const texts = z.array(z.string())
const pairs = z.array(z.tuple([z.string(), z.string()]))
const namedTexts = z.array(z.tuple([z.string(), texts]))
const status = z.enum(['passing', 'warning', 'critical'])
const milliseconds = z.number().nonnegative()

const settings = { localAddress: z.string(), localPort: z.int(), config: z.string() }

const upstream = z.object({
  type: z.string(),
  namespace: z.string(),
  name: z.string(),
  datacenter: z.string(),
  ...settings,
})

const proxy = z.object({
  destination: z.string(),
  destinationId: z.string(),
  ...settings,
  upstreams: z.array(upstream),
})

const service = z.object({
  kind: z.string(),
  id: z.string().min(1),
  service: z.string().min(1),
  tags: texts,
  address: z.string(),
  meta: pairs.nullable(),
  port: z.int(),
  weights: z.object({ passing: z.int(), warning: z.int() }),
  enableTagOverride: z.boolean(),
  mesh: z.object({ native: z.boolean(), proxy: proxy.nullable() }).optional(),
  token: z.string().optional(),
  sidecarOf: z.string().optional(),
  managed: z.object({ execMode: z.string(), command: texts }).optional(),
  weightless: z.literal(true).optional(),
})

/** A kind of check that is not kept here does not compile. */
const probes = {
  ttl: z.object({ kind: z.literal('ttl'), ttlMs: milliseconds }),
  http: z.object({
    kind: z.literal('http'),
    url: z.string(),
    method: z.string(),
    header: namedTexts,
    tlsSkipVerify: z.boolean(),
    intervalMs: milliseconds,
    timeoutMs: milliseconds,
  }),
  tcp: z.object({ kind: z.literal('tcp'), address: z.string(), intervalMs: milliseconds, timeoutMs: milliseconds }),
  script: z.object({
    kind: z.literal('script'),
    argv: z.tuple([z.string()], z.string()),
    intervalMs: milliseconds,
    timeoutMs: milliseconds,
  }),
  grpc: z.object({
    kind: z.literal('grpc'),
    target: z.string(),
    useTls: z.boolean(),
    tlsSkipVerify: z.boolean(),
    intervalMs: milliseconds,
    timeoutMs: milliseconds,
  }),
  container: z.object({
    kind: z.literal('container'),
    container: z.string(),
    argv: z.tuple([z.string()], z.string()),
    intervalMs: milliseconds,
    timeoutMs: milliseconds,
  }),
  alias: z.object({ kind: z.literal('alias'), node: z.string(), service: z.string() }),
  fixed: z.object({ kind: z.literal('fixed') }),
} satisfies { readonly [Kind in CheckProbe['kind']]: z.ZodType<Extract<CheckProbe, { kind: Kind }>> }

const { ttl, ...otherProbes } = probes
const probe = z.discriminatedUnion('kind', [ttl, ...Object.values(otherProbes)])

const check = z.object({
  checkId: z.string().min(1),
  name: z.string(),
  notes: z.string(),
  serviceId: z.string(),
  status,
  probe,
  deregisterCriticalServiceAfterMs: milliseconds,
  token: z.string().optional(),
})

/** The last report of a TTL check, and until when it is valid. */
export interface KeptState {
  readonly checkId: string
  readonly status: CheckStatus
  readonly output: string
  readonly expiresWallMs: number
}

const state = z.object({ checkId: z.string().min(1), status, output: z.string(), expiresWallMs: z.number() })

/** One change of the stored definitions. */
export type KeptChange =
  | { readonly service: OfferedService }
  | { readonly check: CheckDefinition }
  /** By ID. */
  | { readonly withoutService: string }
  | { readonly withoutCheck: string }

export const withoutService = (id: string): KeptChange => ({ withoutService: id })
export const withoutCheck = (id: string): KeptChange => ({ withoutCheck: id })

const change = z.union([
  z.strictObject({ service }),
  z.strictObject({ check }),
  z.strictObject({ withoutService: z.string() }),
  z.strictObject({ withoutCheck: z.string() }),
])

const version = z.literal(1)

/** The content of one frame of the journal. */
export const keptChanges: z.ZodType<{ readonly changes: readonly unknown[] }> = z.object({
  version,
  changes: z.array(z.unknown()),
})
export const keptChange: z.ZodType<KeptChange> = change
export const keptService: z.ZodType<{ readonly service: OfferedService }> = z.object({ version, service })
export const keptCheck: z.ZodType<{ readonly check: CheckDefinition }> = z.object({ version, check })
export const keptState: z.ZodType<{ readonly state: KeptState }> = z.object({ version, state })
export const keptVersion = 1
