import type { Result } from '../../../src/base/result.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'

/** The facts of a mesh certificate that invariants use. Times are of the wall clock, in milliseconds. */
export interface SeenCertificate {
  /** Its bytes as text: equal for equal certificates. */
  readonly identity: string
  readonly serial: string
  /** Names, as text that is equal for equal names. */
  readonly subject: string
  readonly issuer: string
  /** The common name of the subject. */
  readonly name: string
  /** The URIs among the names of the subject. */
  readonly uris: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** Identifiers of its key and of the key that signed it; empty if the certificate has none. */
  readonly keyId: string
  readonly issuerKeyId: string
}

/** The time in which a path of certificates is valid. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Parses and verifies certificates. */
export interface Chains {
  /** All certificates of a PEM text, in order; undefined: one of them is malformed. */
  read(pem: string): readonly SeenCertificate[] | undefined
  /**
   * Whether a verifier with these roots accepts a leaf with the certificates presented behind it, at that moment of its
   * clock.
   */
  path(
    leaf: SeenCertificate,
    between: readonly SeenCertificate[],
    roots: readonly SeenCertificate[],
    atMs: number,
  ): Result<Span, string>
}

/** A listed root, with its certificates parsed. */
export interface ListedRoot {
  readonly id: string
  readonly active: boolean
  /** Older roots have lower numbers. */
  readonly generation: number
  readonly certificate: SeenCertificate
  /** The certificates sent behind its leaves. */
  readonly between: readonly SeenCertificate[]
}

/** The roots that the cluster lists from some moment on. */
export interface RootSet {
  /** Equal for equal sets of certificates. */
  readonly key: string
  readonly roots: readonly ListedRoot[]
  readonly certificates: readonly SeenCertificate[]
  readonly sinceUs: number
}

/** A leaf as an agent delivered it. */
export interface SeenLeaf {
  /** The service and the agent that it was issued to: `shop-3 at c2`. */
  readonly holder: string
  readonly certificate: SeenCertificate
  /** The certificates sent behind it. */
  readonly between: readonly SeenCertificate[]
  /** Trace event in which its holder received it; absent or 0: no trace is recorded. */
  readonly givenIn?: number
}

/** Steps of a rotation, as in the replicated state. */
export type RotationStep = 'begun' | 'requested' | 'crossed' | 'activated' | 'given-up' | 'refused'

/** The run's true time, and the wall clock that shows it. */
export interface MeshTime {
  readonly nowUs: () => number
  /** True wall time at the beginning of the run. */
  readonly startWallMs: number
  /** Maximum difference of two clocks; each may differ by half of it from true time. */
  readonly skewMs: number
  /** A root that ends within this time gets no crossing, because leaves that need the crossing would be worthless. */
  readonly lastMomentsMs: number
}

export function trueWallMs({ nowUs, startWallMs }: MeshTime): number {
  return startWallMs + nowUs() / 1000
}

export function momentText(wallMs: number, { startWallMs }: MeshTime): string {
  return `${((wallMs - startWallMs) / 1000).toFixed(3)}s`
}

/** A rotation as in the replicated state. */
export interface RotationFacts {
  /** The index at which it began. */
  readonly id: number
  readonly step: RotationStep
  /** The root that it leads to, once known. */
  readonly root?: { readonly id: string } | null
  /** The operator forgoes a crossing. */
  readonly uncrossed?: boolean
  /** Why the new provider refused it; empty: it did not. */
  readonly why?: string
  /** The provider in force after it has ended. */
  readonly provider?: string
  readonly options?: ProviderOptions
}

/** A root as in the replicated state: PEM. */
export interface RootText {
  readonly id: string
  readonly active: boolean
  readonly generation: number
  readonly certificate: string
  readonly intermediates: readonly string[]
}

/** The state of the certificate authority right after a command that changed it. */
export interface MeshState {
  readonly roots: readonly RootText[]
  readonly rotations: readonly RotationFacts[]
  /** Private keys, PEM. */
  readonly signingKeys: readonly string[]
  /** Provider and options, including secrets; undefined: the certificate authority has not begun. */
  readonly configuration: AuthorityConfiguration | undefined
}

export interface AuthorityConfiguration {
  readonly provider: string
  readonly options: ProviderOptions
  /** The datacenter whose roots are used; empty or absent: its own. */
  readonly primary?: string
}

/** Events of the certificate authority that faults may wait for. */
export type MeshEvent =
  | 'rotation begun'
  | 'root requested'
  | 'root crossed'
  | 'root activated'
  | 'leaf recorded'
  | 'root removed'

/**
 * One end of a connection between proxies: the leaf that it presents, the roots that it trusts, and the time of its
 * clock.
 */
export interface ConnectionEnd {
  readonly name: string
  readonly leaf: SeenLeaf
  readonly roots: ProxyRoots
  readonly wallMs: number
}

/** Roots as an agent lists them. */
export interface ProxyRoots {
  /** As in `RootSet`. */
  readonly key: string
  readonly certificates: readonly SeenCertificate[]
}

/** What the checkers of the mesh need of a run. */
export interface MeshWorld extends Omit<MeshTime, 'nowUs'> {
  readonly chains: Chains
  /** Keys of roots that were lost when a snapshot was restored; all datacenters share this set. */
  readonly lostKeys: Set<string>
  /** Calls `then` after this much true time. */
  readonly after: (delayMs: number, then: () => void) => void
}
