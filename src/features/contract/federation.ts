import type { MissingServer } from './access-control.ts'

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
