import { productName } from '../../model/names.ts'

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

/** Reference: mesh.md#provider-options. */
export const defaultMesh: MeshSettings = {
  enabled: false,
  provider: productName,
  options: { LeafCertTTL: '72h', RotationPeriod: '2160h' },
  clusterId: '',
  dnsDomain: productName,
}
