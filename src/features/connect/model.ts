import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { utcText } from '../../base/utc-text.ts'
import { indexValue, listOf, uint64Value } from '../http/declared-answers.ts'

export type { IssuedLeaf } from '../contract/mesh.ts'

/**
 * What is said where the servers have no mesh: agents know by it that they have none. Reference: mesh.md#feature-switch.
 */
export const meshIsOffLine = 'Connect must be enabled in order to use this endpoint'

/** What a certificate authority is told by its operator: options by their names on the wire, such as `LeafCertTTL`. */
export type ProviderOptions = { readonly [option: string]: Json }

/** The configuration of the authority, in one row. Spec: CA-048, CA-049, CA-052. */
export interface AuthorityRow {
  /** `svc` or `vault`. */
  readonly provider: string
  /** As given, secrets and all: reads hide them. */
  readonly options: ProviderOptions
  /** A UUID. It never changes. */
  readonly clusterId: string
  /** `CLUSTERID.DOMAIN`, with the DNS domain that the servers had when the authority began, in lower case. It changes once at most: when the datacenter joins the mesh of another. */
  readonly trustDomain: string
  /** The datacenter whose roots it goes by; empty: its own. */
  readonly primary: string
  readonly createIndex: number
  readonly modifyIndex: number
}

/** A root certificate that is trusted. Exactly one is active. Spec: CA-034, CA-044. */
export interface RootRow {
  /** SHA-1 of the certificate: lower-case hexadecimal bytes with colons. */
  readonly id: string
  readonly name: string
  /** The low 64 bits of the certificate's serial number, decimal: a double cannot hold them. */
  readonly serialNumber: string
  /** Hexadecimal with colons; empty where the certificate names no key. */
  readonly signingKeyId: string
  /** The mesh that it is of. */
  readonly clusterId: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** PEM as it was made or given. */
  readonly certificate: string
  /** Which provider signs, or signed, with it. */
  readonly provider: string
  /** The datacenter that it was taken over from; empty: it is of this one. */
  readonly of: string
  readonly active: boolean
  /** Counts activations: older roots have lower numbers; no two are equal. */
  readonly generation: number
  /** Wall clock of the leader when another became active; 0: it is the active one. */
  readonly replacedMs: number
  /**
   * PEM. What goes out behind every leaf of the active root: first the provider's intermediate where it has one, then this root
   * as signed by the one before it, that one as signed by the one before, back to the oldest root listed. Of others none.
   */
  readonly intermediates: readonly string[]
  readonly createIndex: number
  readonly modifyIndex: number
}

/** When the last leaf expires that was signed under a root in a datacenter. Wall clock, as the leaders had it. */
export interface LeavesRow {
  readonly rootId: string
  readonly datacenter: string
  readonly expiresMs: number
}

/** One root as signed by the one that was active before it. */
export interface CrossingRow {
  /** Of the root that is certified, and of the one that did. */
  readonly generation: number
  readonly byGeneration: number
  readonly rootId: string
  readonly byRootId: string
  /** PEM: the crossing, then what leads from it to the root that signed, where a provider needs that. */
  readonly certificates: readonly string[]
  /** The least of them. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** What every agent may know of the authority. */
export interface RootsList {
  /** Empty before the authority has begun. */
  readonly activeRootId: string
  readonly trustDomain: string
  /** Sorted by ID. */
  readonly roots: readonly RootRow[]
}

/** An authority below the root that is active in the primary datacenter. PEM. */
export interface SignedAuthority {
  readonly rootId: string
  readonly certificate: string
  /** What leads from it to the root, where a provider needs that. */
  readonly behind: readonly string[]
}

/** The configuration as it is shown: secrets hidden, defaults filled in. */
export interface ShownConfiguration {
  readonly provider: string
  readonly options: ProviderOptions
  readonly createIndex: number
  readonly modifyIndex: number
}

const time = z.string()

const rootShape = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    SerialNumber: uint64Value,
    SigningKeyID: z.string(),
    ExternalTrustDomain: z.string(),
    NotBefore: time,
    NotAfter: time,
    RootCert: z.string().meta({ description: 'PEM.' }),
    IntermediateCerts: listOf(z.string()).nullable().meta({ description: 'PEM: what goes out behind every leaf.' }),
    Active: z.boolean(),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'MeshRoot' })

/** Reference: mesh.md#roots-list. */
export const rootsShape = z
  .strictObject({ ActiveRootID: z.string(), TrustDomain: z.string(), Roots: listOf(rootShape) })
  .meta({ id: 'MeshRoots' })

export function rootsJson({ activeRootId, trustDomain, roots }: RootsList): z.infer<typeof rootsShape> {
  return { ActiveRootID: activeRootId, TrustDomain: trustDomain, Roots: roots.map(rootJson) }
}

function rootJson(root: RootRow): z.infer<typeof rootShape> {
  return {
    ID: root.id,
    Name: root.name,
    SerialNumber: BigInt(root.serialNumber),
    SigningKeyID: root.signingKeyId,
    ExternalTrustDomain: root.clusterId,
    NotBefore: utcText(root.notBeforeMs),
    NotAfter: utcText(root.notAfterMs),
    RootCert: root.certificate,
    IntermediateCerts: root.intermediates.length === 0 ? null : root.intermediates,
    Active: root.active,
    CreateIndex: root.createIndex,
    ModifyIndex: root.modifyIndex,
  }
}

/** Reference: mesh.md#ca-configuration. */
export const configurationShape = z
  .strictObject({
    Provider: z.string(),
    Config: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'MeshAuthorityConfiguration' })

export function configurationJson({ provider, options, createIndex, modifyIndex }: ShownConfiguration): Json {
  return { Provider: provider, Config: options, CreateIndex: createIndex, ModifyIndex: modifyIndex }
}

/** What of the authority's certificates expires when, and what a rotation now would do, as the leader sees it. */
export interface AuthorityForecast {
  readonly nowMs: number
  /** `degraded`: nothing is signed, or a rotation does not go on; `problem` says why. */
  readonly state: 'not-begun' | 'ready' | 'rotating' | 'degraded'
  readonly problem: string
  readonly provider: string
  readonly trustDomain: string
  readonly leafTtlMs: number
  /** When a leaf would expire that was signed now; 0: none would be signed. */
  readonly leafExpiresMs: number
  /** What is trusted, the oldest first. */
  readonly roots: readonly ForecastRoot[]
  /** What leads from newer roots to older ones, the oldest first. */
  readonly crossings: readonly ForecastCrossing[]
  /** The one that is under way. */
  readonly rotation: ForecastRotation | null
  readonly rotationNow: RotationForecast
}

export interface ForecastRoot {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly active: boolean
  readonly expiresMs: number
  /** When the last leaf expires that it signed, by datacenter. */
  readonly leaves: readonly { readonly datacenter: string; readonly expiresMs: number }[]
  /** When it goes out of the list, unless it is the active one; 0: it stays. */
  readonly goesMs: number
}

export interface ForecastCrossing {
  readonly rootId: string
  readonly byRootId: string
  readonly expiresMs: number
}

export interface ForecastRotation {
  readonly id: number
  readonly step: string
  readonly provider: string
  readonly startedMs: number
  /** When there is room for its root, for which it waits; 0: it does not wait. */
  readonly beginsMs: number
}

export interface RotationForecast {
  readonly possible: boolean
  /** Why not; empty: it is. */
  readonly why: string
  /** When it would begin: not before there is room for its root; 0: at once. */
  readonly beginsMs: number
  /** Roots that would be listed then, and certificates that would go out with each leaf, itself among them. */
  readonly roots: number
  readonly certificates: number
  /** When the root that is active now would go, as far as its leaves are known; 0: at once. */
  readonly oldRootGoesMs: number
  /** Until when leaves could be signed to hold at most, by what would go out with them; 0: as long as the new root allows. */
  readonly leavesHoldMs: number
}
