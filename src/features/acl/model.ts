import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { utcText } from '../../base/utc-text.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { indexValue, listOf, textList } from '../http/declared.ts'

/** A link of a token to a policy. The name is the one that the policy had when the link was made. */
export interface PolicyLink {
  readonly id: string
  readonly name: string
}

/** Type of a legacy token: `client` has the rights of its own rules, `management` has all. */
export type LegacyType = 'client' | 'management'

export interface TokenRow {
  /**
   * The secret that requests carry: any text for a legacy token, otherwise a UUID. Never in a log line or an error
   * text.
   */
  readonly secret: string
  /** The public name of the token: a UUID in lower case; empty: a legacy token that has none yet. */
  readonly accessor: string
  readonly description: string
  /** Empty for a token of the new kind, except the bootstrap token and the master token, which have a type as well. */
  readonly type: LegacyType | ''
  /** Only for legacy tokens: text in the legacy grammar. */
  readonly rules: string
  readonly policies: readonly PolicyLink[]
  /** The token is valid only in the datacenter that created it. */
  readonly local: boolean
  /** By the wall clock of the leader; 0: unknown. */
  readonly createdMs: number
  /** Base64; empty as long as the token has no accessor. */
  readonly hash: string
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

export interface PolicyRow {
  /** A UUID in lower case. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** Text in the new grammar. */
  readonly rules: string
  /** The datacenters in which it is valid; empty: all. */
  readonly datacenters: readonly string[]
  readonly hash: string
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

/** The datacenter has switched to the new kind of access control. */
export interface ModeRow {
  readonly index: ModifyIndex
}

/** The bootstrap token has been created. */
export interface BootstrapRow {
  /** The index at which that token was created; a reset must name it. */
  readonly index: ModifyIndex
}

/** The progress of giving legacy tokens accessors. */
export interface MigrationRow {
  readonly tokens: number
  readonly batches: number
  /**
   * Index at which for the first time no token was left: the proof that the migration is complete. 0: some are left.
   */
  readonly completeIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

/**
 * IDs that begin with 00000000-0000-0000-0000-0000000000 are reserved for built-in policies and tokens; all others are
 * random.
 */
export const managementPolicyId = '00000000-0000-0000-0000-000000000001'
export const managementPolicyName = 'global-management'
export const anonymousAccessor = '00000000-0000-0000-0000-000000000002'
export const anonymousSecret = 'anonymous'
/** Secrets that name a policy and not a token. */
export const rootSecrets: readonly string[] = ['allow', 'deny', 'manage']

export const managementLink: PolicyLink = { id: managementPolicyId, name: managementPolicyName }

/** Rules that grant everything. Reference: access-control.md#built-in-policy-global-management. */
export const managementRules = `
acl = "write"
agent_prefix "" {
	policy = "write"
}
event_prefix "" {
	policy = "write"
}
key_prefix "" {
	policy = "write"
}
keyring = "write"
node_prefix "" {
	policy = "write"
}
operator = "write"
query_prefix "" {
	policy = "write"
}
service_prefix "" {
	policy = "write"
	intentions = "write"
}
session_prefix "" {
	policy = "write"
}`

/** Replaces a secret that the reader may not see. */
export const hiddenSecret = '<hidden>'

const policyLinkShape = z.strictObject({ ID: z.string(), Name: z.string() })
const time = z.string().meta({ format: 'date-time' })

const tokenShapes = {
  AccessorID: z.string(),
  Description: z.string(),
  Policies: listOf(policyLinkShape).nullable(),
  Local: z.boolean(),
  CreateTime: time,
  Hash: z.string().nullable(),
  CreateIndex: indexValue,
  ModifyIndex: indexValue,
}

/** Reference: access-control.md#token-object. */
export const tokenShape = z
  .strictObject({
    ...tokenShapes,
    SecretID: z.string().meta({ description: `What is sent with requests; \`${hiddenSecret}\` without acl:write.` }),
    Rules: z.string().optional().meta({ description: 'Of legacy tokens.' }),
  })
  .meta({ id: 'Token' })

export const bootstrapTokenShape = tokenShape.extend({ ID: z.string() }).meta({ id: 'BootstrapToken' })

export const tokenStubShape = z
  .strictObject({ ...tokenShapes, Legacy: z.literal(true).optional() })
  .meta({ id: 'TokenStub' })

const policyShapes = {
  ID: z.string(),
  Name: z.string(),
  Description: z.string(),
  Hash: z.string(),
  CreateIndex: indexValue,
  ModifyIndex: indexValue,
}

/** Reference: access-control.md#policy-object. */
export const policyShape = z
  .strictObject({ ...policyShapes, Rules: z.string(), Datacenters: textList.optional() })
  .meta({ id: 'Policy' })

export const policyStubShape = z
  .strictObject({ ...policyShapes, Datacenters: textList.nullable() })
  .meta({ id: 'PolicyStub' })

/** Reference: access-control.md#legacy-get-v1-acl-info-id. */
export const legacyTokenShape = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Type: z.enum(['client', 'management']),
    Rules: z.string(),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'LegacyToken' })

export function tokenJson(token: TokenRow): z.infer<typeof tokenShape> {
  return {
    AccessorID: token.accessor,
    SecretID: token.secret,
    Description: token.description,
    ...linksJson(token),
    ...(token.rules === '' ? {} : { Rules: token.rules }),
    Local: token.local,
    ...stampsJson(token),
  }
}

export function tokenStubJson(token: TokenRow): z.infer<typeof tokenStubShape> {
  return {
    AccessorID: token.accessor,
    Description: token.description,
    ...linksJson(token),
    Local: token.local,
    ...stampsJson(token),
    ...(token.rules === '' ? {} : { Legacy: true as const }),
  }
}

function linksJson({ policies }: TokenRow): { readonly Policies: readonly { ID: string; Name: string }[] | null } {
  return { Policies: policies.length === 0 ? null : policies.map(({ id, name }) => ({ ID: id, Name: name })) }
}

function stampsJson(token: TokenRow) {
  return {
    CreateTime: timeText(token.createdMs),
    Hash: token.hash === '' ? null : token.hash,
    CreateIndex: token.createIndex,
    ModifyIndex: token.modifyIndex,
  }
}

export function policyJson(policy: PolicyRow): z.infer<typeof policyShape> {
  const { id, name, description, rules, datacenters, hash, createIndex, modifyIndex } = policy
  return {
    ID: id,
    Name: name,
    Description: description,
    Rules: rules,
    ...(datacenters.length === 0 ? {} : { Datacenters: datacenters }),
    Hash: hash,
    CreateIndex: createIndex,
    ModifyIndex: modifyIndex,
  }
}

export function policyStubJson(policy: PolicyRow): z.infer<typeof policyStubShape> {
  const { id, name, description, datacenters, hash, createIndex, modifyIndex } = policy
  return {
    ID: id,
    Name: name,
    Description: description,
    Datacenters: datacenters.length === 0 ? null : datacenters,
    Hash: hash,
    CreateIndex: createIndex,
    ModifyIndex: modifyIndex,
  }
}

/** A token in the form of the legacy API. */
export function legacyTokenJson(token: TokenRow): Json {
  return {
    ID: token.secret,
    Name: token.description,
    Type: token.type,
    Rules: token.rules,
    CreateIndex: token.createIndex,
    ModifyIndex: token.modifyIndex,
  }
}

/** Shown for an unknown time. */
export const zeroTime = '0001-01-01T00:00:00Z'

/** `2026-11-21T03:27:17.936Z`; trailing zeros of the fraction are omitted. */
export function timeText(ms: number): string {
  if (ms === 0) return zeroTime
  const fraction = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`.replace(/0+$/, '')
  return utcText(ms).replace('Z', `${fraction}Z`)
}
