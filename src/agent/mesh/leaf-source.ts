import type { Result } from '../../base/result.ts'
import type { IssuedLeaf, RootsList } from '../../features/connect/model.ts'
import type { Failure } from '../../model/failure.ts'

/** The roots as of an index. */
export interface RootsView {
  readonly list: RootsList
  readonly index: number
}

/** A key that was made here, and what asks for a certificate of it. */
export interface LeafRequest {
  /** `CERTIFICATE REQUEST` in PEM. */
  readonly requestPem: string
  /** `EC PRIVATE KEY` in PEM. Only the caller that requested the leaf receives it. */
  readonly privateKeyPem: string
}

/** Where an agent's leaves come from: its servers, but for the keys. */
export interface LeafSource {
  /** Waits for roots newer than the index, as blocking reads do; 0: those of the leader, now. */
  roots(minIndex: number, onAbort: (use: () => void) => void): Promise<Result<RootsView, Failure>>
  /** With a new key each time. */
  request(service: string, trustDomain: string): Promise<LeafRequest>
  sign(requestPem: string, token: string): Promise<Result<IssuedLeaf, Failure>>
  /** Agents of the datacenter, as far as this one knows. */
  memberCount(): number
}

/** What metrics of leaves begin with. The prefix stands twice. Reference: telemetry.md#metric-svc-cache. */
export const cacheName = 'svc.cache.connect-ca-leaf'

/** The token may not have this (any more). */
export function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}
