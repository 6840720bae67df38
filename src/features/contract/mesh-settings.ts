import { productName } from '../../model/names.ts'

/** Settings of the mesh in a server's configuration. */
export interface MeshSettings {
  readonly enabled: boolean
  /** For the first start of the authority alone. */
  readonly provider: string
  readonly options: Readonly<Record<string, unknown>>
  /** For the first start alone; empty: drawn. */
  readonly clusterId: string
  readonly dnsDomain: string
  /** How far clocks may be apart, in milliseconds; absent: a minute. Certificates are back-dated by it, and roots kept longer. */
  readonly skewMs?: number
  /**
   * The least that a leaf may live, in milliseconds; absent: an hour. What is too short to be worth having, and how long a root stays
   * at least, goes by it.
   */
  readonly leafTtlMinMs?: number
  /** Leaves that the leader signs in a second; absent: 50. Infinity: as many as it can. */
  readonly leavesPerSecond?: number
  /** False: a datacenter that has not joined another's mesh keeps an authority of its own, as before 1.4.0; the primary one signs for no other. */
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
