import type { Coordinate } from '../../model/coordinate.ts'

export interface KnownServer {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly raftProtocol: number
}

/** The pool of the servers of all datacenters. */
export interface WanView {
  /** The coordinate of this server in that pool. */
  readonly own: Coordinate | undefined
  /** In order of name. */
  readonly servers: readonly WanServer[]
}

export interface WanServer {
  /** `n1.dc1`. */
  readonly name: string
  readonly datacenter: string
  readonly coordinate: Coordinate | undefined
}
