import type { Json } from '../../base/json.ts'

export type { IssuedLeaf } from '../mesh.ts'

/** What a certificate authority is told by its operator: options by their names on the wire, such as `LeafCertTTL`. */
export type ProviderOptions = { readonly [option: string]: Json }

/** The configuration of the authority, in one row. Spec: CA configuration. */
export interface AuthorityRow {
  /** `svc` or `vault`. */
  readonly provider: string
  /** As given, secrets and all: reads hide them. */
  readonly options: ProviderOptions
  /** A UUID. It never changes. */
  readonly clusterId: string
  /** `CLUSTERID.DOMAIN`, with the DNS domain that the servers had when the authority began, in lower case. It never changes. */
  readonly trustDomain: string
  readonly createIndex: number
  readonly modifyIndex: number
}

/** A root certificate that is trusted. Exactly one is active. Spec: Root. */
export interface RootRow {
  /** SHA-1 of the certificate: lower-case hexadecimal bytes with colons. */
  readonly id: string
  readonly name: string
  /** The low 64 bits of the certificate's serial number, decimal: a double cannot hold them. */
  readonly serialNumber: string
  /** Hexadecimal with colons; empty where the certificate names no key. */
  readonly signingKeyId: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** PEM as it was made or given. */
  readonly certificate: string
  /** Which provider signs with it, and what of its own that provider needs to find the key again. */
  readonly provider: string
  readonly active: boolean
  /** Older roots have lower numbers; no two are equal. */
  readonly generation: number
  /**
   * PEM. What goes out behind every leaf of this root, first the provider's intermediate where it has one, then this root as
   * signed by the one before it, that one as signed by the one before, back to the oldest root listed.
   */
  readonly intermediates: readonly string[]
  /** By datacenter: when the last leaf expires that was signed under it there. Wall clock, as the leaders had it. */
  readonly leavesExpireMs: readonly (readonly [datacenter: string, expiresMs: number])[]
  readonly createIndex: number
  readonly modifyIndex: number
}

/** What every agent may know of the authority. */
export interface RootsList {
  /** Empty before the authority has begun. */
  readonly activeRootId: string
  readonly trustDomain: string
  /** Sorted by ID. */
  readonly roots: readonly RootRow[]
}
