import type { Identity, Lane } from './decisions/identity.ts'

/** Something of a process that the machine must clear away when the process ends: a socket, a listener, a lock. */
export interface ProcessPart {
  /** `loud`: the machine is still there and tells the peers. */
  processEnded(loud: boolean): void
}

/** An HTTP request that is not answered yet. */
export interface OpenRequest {
  readonly method: string
  /** Path and query as they came: a secret may be in them. */
  readonly target: string
}

/**
 * One life of a process: from `boot` to its crash. A restart on the same machine is a new one, with the next number.
 */
export class Boot implements Lane {
  /** Number and name of its machine. */
  readonly node: number
  readonly name: string
  readonly number: number
  alive = true
  paused = false
  /** The turn in which it died: what its own code still does in that turn is no sign of life. */
  endedInTurn = -1
  readonly parts = new Set<ProcessPart>()
  /** HTTP requests that it serves now. */
  readonly requests = new Set<OpenRequest>()
  /**
   * What the decisions of this life are within: made of what caused it, so that a life less changes none of the others.
   */
  readonly identity: Identity

  constructor(node: number, name: string, number: number, identity: Identity) {
    this.node = node
    this.name = name
    this.number = number
    this.identity = identity
  }

  get tie(): number {
    return this.identity.a
  }
}
