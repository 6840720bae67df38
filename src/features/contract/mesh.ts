import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
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
  readonly createIndex: number
  readonly modifyIndex: number
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
  readonly index: number
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
    wait: { readonly minIndex: number; readonly waitMs: number },
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<LeafAnswer, Failure>>
}
