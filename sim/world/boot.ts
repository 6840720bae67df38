import type { Identity, Lane } from './decisions/identity.ts'

/** A resource of a process that its machine releases when the process ends: a socket, a listener, a lock. */
export interface ProcessPart {
  /** `loud`: the machine still has power, so it notifies the peers. */
  processEnded(loud: boolean): void
}

/** An open file of a process. */
export interface HeldFile {
  /** The path at which it was opened. */
  readonly path: string
  readonly openedUs: number
}

/** An HTTP request without an answer so far. */
export interface OpenRequest {
  readonly method: string
  /** Path and query as received: they may contain a secret. */
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
  /** The turn in which it died: its code may still run until that turn ends. */
  endedInTurn = -1
  readonly parts = new Set<ProcessPart>()
  /** Files that it has open. */
  readonly files = new Set<HeldFile>()
  /** Connections of the environment's own HTTP, which keeps them for later requests and closes them by its own limits. */
  readonly ofHttp = new WeakSet<object>()
  /** HTTP requests that it serves now. */
  readonly requests = new Set<OpenRequest>()
  /**
   * The scope of this life's decisions, derived from its cause: without this life, all others decide as before.
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
