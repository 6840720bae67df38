import type { MissingServer } from './access-control.ts'

/** What a server of a secondary datacenter knows of the mesh that its datacenter is to be one with. */
export interface MeshFederation {
  /** Its authority is the root of trust for all datacenters. */
  readonly primaryDatacenter: string
  /** False: a datacenter that has not joined yet is not to. One that has goes on with what it has joined: only that can sign there. */
  readonly joins: boolean
  /** Servers of this datacenter and of the primary one that do not know of it yet, in order of name. */
  missing(): readonly MissingServer[]
  /** The secret of the token with which this server asks there. */
  token(): string
}
