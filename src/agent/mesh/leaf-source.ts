import type { Result } from '../../base/result.ts'
import type { IssuedLeaf, RootsList } from '../../features/connect/model.ts'
import type { Failure } from '../../model/failure.ts'

/** The roots as of an index. */
export interface RootsView {
  readonly list: RootsList
  readonly index: number
}

/** A key that was generated here, and the signing request for it. */
export interface LeafRequest {
  /** `CERTIFICATE REQUEST` in PEM. */
  readonly requestPem: string
  /** `EC PRIVATE KEY` in PEM. Only the caller that requested the leaf receives it. */
  readonly privateKeyPem: string
}

/** Where an agent's leaves come from: its servers sign, the keys stay here. */
export interface LeafSource {
  /** Waits for roots newer than the index, as blocking reads do; 0: the leader's present roots. */
  roots(minIndex: number, onAbort: (use: () => void) => void): Promise<Result<RootsView, Failure>>
  /** Generates a new key each time. */
  request(service: string, trustDomain: string): Promise<LeafRequest>
  sign(requestPem: string, token: string): Promise<Result<IssuedLeaf, Failure>>
  /** Number of agents in the datacenter, as far as this one knows. */
  memberCount(): number
}

/**
 * Prefix of the metrics of leaves, which contains the product's name twice. Reference: telemetry.md#metric-svc-cache.
 */
export const cacheName = 'svc.cache.connect-ca-leaf'

/** Whether the token has no right to the leaf, or has lost it. */
export function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}
