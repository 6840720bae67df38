import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { defaultDomain } from '../../model/naming/names.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { MissingServer } from './access-control.ts'
import type { CallOptions, Freshness } from './call.ts'

/** A leaf as the server returns it. */
export interface IssuedLeaf {
  /** Hexadecimal bytes with colons. */
  readonly serialNumber: string
  /** The leaf, then the intermediates of the root that signed it. */
  readonly certificates: string
  readonly rootId: string
  readonly service: string
  readonly serviceUri: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** The index of the authority's configuration at the time of signing. */
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

/** A leaf with the key that the agent generated for it. The key is in this answer and nowhere else. */
export interface HeldLeaf {
  readonly leaf: IssuedLeaf
  /** `EC PRIVATE KEY` in PEM. RFC 5915. */
  readonly privateKeyPem: string
}

export interface LeafAnswer {
  readonly held: HeldLeaf
  /** Greater for every new leaf of this service on this agent. */
  readonly index: ModifyIndex
  readonly hit: boolean
  readonly ageMs: number
}

/**
 * Caches leaves for the services on an agent's node: they are renewed before they expire and when the active root
 * changes.
 */
export interface MeshLeaves {
  /** Waits for a leaf that is newer than `minIndex`, for at most `waitMs` (0: the default of blocking queries). */
  leaf(
    service: string,
    wait: { readonly minIndex: ModifyIndex; readonly waitMs: number },
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<LeafAnswer, Failure>>
  /** The leaves that this agent holds now, without their keys, for the simulator. */
  held(): readonly IssuedLeaf[]
}

/** What a server of a secondary datacenter knows about the mesh that its datacenter is to join. */
export interface MeshFederation {
  /** The datacenter whose authority is the root of trust for all datacenters. */
  readonly primaryDatacenter: string
  /**
   * False: a datacenter that has not joined yet must not join. One that has joined stays joined: only the joined
   * authority can sign there.
   */
  readonly joins: boolean
  /** Servers of this datacenter and of the primary one that do not support federation yet, in order of name. */
  missing(): readonly MissingServer[]
  /** The secret of the token with which this server calls the primary. */
  token(): string
}

/** Settings of the mesh in a server's configuration. */
export interface MeshSettings {
  readonly enabled: boolean
  /** Used only when the authority begins. */
  readonly provider: string
  readonly options: Readonly<Record<string, unknown>>
  /** Used only when the authority begins; empty: drawn at random. */
  readonly clusterId: string
  readonly dnsDomain: string
  /**
   * Maximum difference between clocks, in milliseconds; absent: a minute. Certificates are back-dated by it, and roots
   * are kept longer.
   */
  readonly skewMs?: number
  /**
   * Minimum lifetime of a leaf, in milliseconds; absent: an hour. The shortest usable rest of a lifetime and the
   * minimum stay of a root derive from it.
   */
  readonly leafTtlMinMs?: number
  /** Maximum number of leaves that the leader signs per second; absent: 50. Infinity: no limit. */
  readonly leavesPerSecond?: number
  /**
   * False: a datacenter that has not joined another's mesh keeps an authority of its own, as before 1.4.0; the primary
   * one signs for no other.
   */
  readonly federates?: boolean
}

export interface WithMeshSettings {
  /** Undefined: this server has no mesh. */
  readonly mesh?: MeshSettings | undefined
}

/** Reference: mesh.md#provider-options. */
export function defaultMesh(naming: Naming): MeshSettings {
  return {
    enabled: false,
    provider: naming.name,
    options: { LeafCertTTL: '72h', RotationPeriod: '2160h' },
    clusterId: '',
    dnsDomain: defaultDomain(naming),
  }
}
