import type { Result } from '../../../src/base/result.ts'

/** A certificate of the mesh, as far as invariants speak of it. Times are of the wall clock, in milliseconds. */
export interface SeenCertificate {
  /** Its bytes as text: equal for equal certificates. */
  readonly identity: string
  readonly serial: string
  /** Names, as text that is equal for equal names. */
  readonly subject: string
  readonly issuer: string
  /** The common name of the subject. */
  readonly name: string
  /** Names of the subject that are URIs. */
  readonly uris: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** Of its key, and of the key that signed it; empty where it does not say. */
  readonly keyId: string
  readonly issuerKeyId: string
}

/** From when to when a path of certificates holds. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** How certificates are read and verified. */
export interface Chains {
  /** All certificates of a PEM text, in order; undefined: one of them cannot be read. */
  read(pem: string): readonly SeenCertificate[] | undefined
  /**
   * Whether a verifier with these roots accepts a leaf with what is presented behind it, at that moment by its clock.
   */
  path(
    leaf: SeenCertificate,
    between: readonly SeenCertificate[],
    roots: readonly SeenCertificate[],
    atMs: number,
  ): Result<Span, string>
}

/** A root that is listed, with its certificates read. */
export interface ListedRoot {
  readonly id: string
  readonly active: boolean
  /** Older roots have lower numbers. */
  readonly generation: number
  readonly certificate: SeenCertificate
  /** What goes out behind its leaves. */
  readonly between: readonly SeenCertificate[]
}

/** The roots that the cluster lists from a moment on. */
export interface RootSet {
  /** Equal for equal sets of certificates. */
  readonly key: string
  readonly roots: readonly ListedRoot[]
  readonly certificates: readonly SeenCertificate[]
  readonly sinceUs: number
}

/** A leaf as it came from an agent. */
export interface SeenLeaf {
  /** The service and the agent that it was issued to: `shop-3 at c2`. */
  readonly holder: string
  readonly certificate: SeenCertificate
  /** What came behind it. */
  readonly between: readonly SeenCertificate[]
  /** In which its holder was given it, in the trace; absent or 0: nobody reads. */
  readonly givenIn?: number
}

/** Steps of a rotation, as the replicated state has them. */
export type RotationStep = 'begun' | 'requested' | 'crossed' | 'activated' | 'given-up' | 'refused'

/** What moments of the mesh there are in a run: true time, and the wall clock that shows it. */
export interface MeshTime {
  readonly nowUs: () => number
  /** True wall time at the beginning of the run. */
  readonly startWallMs: number
  /** How far two clocks may be apart; each may be half of it from true time. */
  readonly skewMs: number
  /** A root that ends within this time gets no crossing: leaves that need the crossing would be worthless. */
  readonly lastMomentsMs: number
}

export function trueWallMs({ nowUs, startWallMs }: MeshTime): number {
  return startWallMs + nowUs() / 1000
}

export function momentText(wallMs: number, { startWallMs }: MeshTime): string {
  return `${((wallMs - startWallMs) / 1000).toFixed(3)}s`
}

/** A rotation as the state has it. */
export interface RotationFacts {
  /** The index at which it began. */
  readonly id: number
  readonly step: RotationStep
  /** The root that it leads to, once that is known. */
  readonly root?: { readonly id: string } | null
  /** The operator does without a crossing. */
  readonly uncrossed?: boolean
  /** What holds once it has ended. */
  readonly provider?: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** A root as the replicated state has it: PEM. */
export interface RootText {
  readonly id: string
  readonly active: boolean
  readonly generation: number
  readonly certificate: string
  readonly intermediates: readonly string[]
}

/** What the authority is, right after a command that changed it. */
export interface MeshState {
  readonly roots: readonly RootText[]
  readonly rotations: readonly RotationFacts[]
  /** Private keys, PEM. */
  readonly signingKeys: readonly string[]
  /** Provider and options, secrets and all; undefined: it has not begun. */
  readonly configuration: AuthorityConfiguration | undefined
}

export interface AuthorityConfiguration {
  readonly provider: string
  readonly options: Readonly<Record<string, unknown>>
}

/** What happens to the authority that faults may wait for. */
export type MeshEvent =
  | 'rotation begun'
  | 'root requested'
  | 'root crossed'
  | 'root activated'
  | 'leaf recorded'
  | 'root removed'

/**
 * One end of a connection between proxies: the leaf that it presents, the roots that it trusts, and what its clock
 * shows.
 */
export interface ConnectionEnd {
  readonly name: string
  readonly leaf: SeenLeaf
  readonly roots: ProxyRoots
  readonly wallMs: number
}

/** Roots as an agent tells them. */
export interface ProxyRoots {
  /** As of `RootSet`. */
  readonly key: string
  readonly certificates: readonly SeenCertificate[]
}

/** What the checkers of the mesh ask of a run. */
export interface MeshWorld extends Omit<MeshTime, 'nowUs'> {
  readonly chains: Chains
  /** Keys of roots that were lost when a snapshot was restored: those of all datacenters share them. */
  readonly lostKeys: Set<string>
  /** Calls `then` after so much true time. */
  readonly after: (delayMs: number, then: () => void) => void
}
