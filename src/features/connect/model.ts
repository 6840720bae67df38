import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { utcText } from '../../base/utc-text.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { indexValue, listOf, uint64Value } from '../http/declared.ts'

export type { IssuedLeaf } from '../contract/mesh.ts'

/** Options of an operator for a certificate authority, by their names on the wire, such as `LeafCertTTL`. */
export type ProviderOptions = { readonly [option: string]: Json }

/** The configuration of the authority, in one row. Spec: CA-048, CA-049, CA-052. */
export interface AuthorityRow {
  /** `svc` or `vault`. */
  readonly provider: string
  /** As given, including secrets, which reads hide. */
  readonly options: ProviderOptions
  /** A UUID. It never changes. */
  readonly clusterId: string
  /**
   * `CLUSTERID.DOMAIN`, with the lower-case DNS domain of the servers when the authority began. It changes at most
   * once: when the datacenter joins the mesh of another.
   */
  readonly trustDomain: string
  /** The datacenter whose roots it uses; empty: its own. */
  readonly primary: string
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

/** A trusted root certificate. Exactly one is active. Spec: CA-034, CA-044. */
export interface RootRow {
  /** SHA-1 of the certificate: lower-case hexadecimal bytes with colons. */
  readonly id: string
  readonly name: string
  /** The low 64 bits of the certificate's serial number, decimal: a double cannot hold them. */
  readonly serialNumber: string
  /** Hexadecimal with colons; empty if the certificate has no key ID. */
  readonly signingKeyId: string
  /** The mesh that it belongs to. */
  readonly clusterId: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** PEM as it was generated or given. */
  readonly certificate: string
  /** The provider that signs, or signed, with it. */
  readonly provider: string
  /** The datacenter that it was taken over from; empty: this one. */
  readonly of: string
  readonly active: boolean
  /** Number of its activation: older roots have lower numbers; no two are equal. */
  readonly generation: number
  /** Wall clock time of the leader when another root became active; 0: it is the active one. */
  readonly replacedMs: number
  /**
   * PEM certificates that come with every leaf of the active root: first the provider's intermediate if it has one,
   * then this root as signed by the one before it, that one as signed by the one before, back to the oldest listed
   * root. Empty for other roots.
   */
  readonly intermediates: readonly string[]
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

/** When the last leaf expires that one datacenter has under a root, by the leaders' wall clocks. */
export interface LeavesRow {
  readonly rootId: string
  /** Empty: leaves that this datacenter signed before the root became one of the present primary datacenter's. */
  readonly datacenter: string
  readonly expiresMs: number
}

/** A root as signed by the root that was active before it. */
export interface CrossingRow {
  /** Generations of the certified root, and of the signing one. */
  readonly generation: number
  readonly byGeneration: number
  readonly rootId: string
  readonly byRootId: string
  /** PEM: the crossing, then the chain to the signing root, if a provider needs one. */
  readonly certificates: readonly string[]
  /** The earliest among them. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** What every agent may know about the authority. */
export interface RootsList {
  /** Empty before the authority has begun. */
  readonly activeRootId: string
  readonly trustDomain: string
  /** Sorted by ID. */
  readonly roots: readonly RootRow[]
}

/** A certificate authority below the primary datacenter's active root. PEM. */
export interface SignedAuthority {
  readonly rootId: string
  readonly certificate: string
  /** The chain to the root, if a provider needs one. */
  readonly behind: readonly string[]
}

/** The configuration for display: secrets hidden, defaults filled in. */
export interface ShownConfiguration {
  readonly provider: string
  readonly options: ProviderOptions
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
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
    IntermediateCerts: listOf(z.string())
      .nullable()
      .meta({ description: 'PEM: the certificates that follow every leaf.' }),
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

/** When the authority's certificates expire, and what a rotation now would do, as the leader sees it. */
export interface AuthorityForecast {
  readonly nowMs: number
  /** `degraded`: nothing is signed, or a rotation cannot proceed; `problem` says why. */
  readonly state: 'not-begun' | 'ready' | 'rotating' | 'degraded'
  readonly problem: string
  readonly provider: string
  readonly trustDomain: string
  readonly leafTtlMs: number
  /** When a leaf that was signed now would expire; 0: none would be signed. */
  readonly leafExpiresMs: number
  /** The trusted roots, the oldest first. */
  readonly roots: readonly ForecastRoot[]
  /** The crossings from newer roots to older ones, the oldest first. */
  readonly crossings: readonly ForecastCrossing[]
  /** The rotation that is under way. */
  readonly rotation: ForecastRotation | null
  readonly rotationNow: RotationForecast
}

export interface ForecastRoot {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly active: boolean
  readonly expiresMs: number
  /** When the last leaf that it signed expires, by datacenter. */
  readonly leaves: readonly { readonly datacenter: string; readonly expiresMs: number }[]
  /** When it is removed, unless it is the active one; 0: it stays. */
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
  /** Why a rotation is not possible; empty if it is. */
  readonly why: string
  /** When it would begin: not before there is room for its root; 0: at once. */
  readonly beginsMs: number
  /**
   * Number of roots that would be listed then, and of certificates that would come with each leaf, including the leaf.
   */
  readonly roots: number
  readonly certificates: number
  /** When the present active root would be removed, as far as its leaves are known; 0: at once. */
  readonly oldRootGoesMs: number
  /** The latest possible expiry of leaves because of their chain; 0: as late as the new root allows. */
  readonly leavesHoldMs: number
}
