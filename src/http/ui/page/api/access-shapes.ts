import type { Instance } from './catalog-shapes.ts'

export interface PolicyLink {
  readonly ID: string
  readonly Name: string
}

export interface Token {
  readonly AccessorID: string
  /** Absent in lists. */
  readonly SecretID?: string
  readonly Description: string
  readonly Policies: readonly PolicyLink[] | null
  readonly Local: boolean
  readonly CreateTime: string
  readonly Hash: string
  /** Of a token from before the migration, in lists. */
  readonly Legacy?: boolean
  readonly Rules?: string
}

export interface Policy {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  /** Absent in lists. */
  readonly Rules?: string
  readonly Datacenters: readonly string[] | null
  readonly Hash: string
}

export interface AccessStatus {
  readonly Mode: 'legacy' | 'new'
  readonly NewSinceIndex: number
  readonly MissingServers:
    | readonly { readonly Name: string; readonly Datacenter: string; readonly Why: string }[]
    | null
  readonly TokensLeft: number
  readonly MigratedTokens: number
  readonly CompleteSinceIndex: number
}

export interface QueryDefinition {
  readonly ID: string
  readonly Name: string
  readonly Session: string
  readonly Template?: { readonly Type: string; readonly Regexp: string }
  readonly Service: {
    readonly Service: string
    readonly OnlyPassing: boolean
    readonly Near: string
    readonly Tags: readonly string[] | null
    readonly Failover: { readonly NearestN: number; readonly Datacenters: readonly string[] | null }
    readonly [member: string]: unknown
  }
  readonly DNS: { readonly TTL: string }
  readonly ModifyIndex: number
}

export interface QueryResult {
  readonly Service: string
  readonly Nodes: readonly Instance[] | null
  readonly Datacenter: string
  readonly Failovers: number
}
