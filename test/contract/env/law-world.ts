import type { Env } from '../../../src/env/env.ts'
import type { TlsMaterial } from '../host/tls-material.ts'

/** Where a law is looked at: two agents that can reach each other, and a directory of the first. */
export interface Place {
  readonly env: Env
  readonly peer: Env
  /** The address of the first agent, and of the second. */
  readonly host: string
  readonly peerHost: string
  /**
   * Free at `host` for TCP and UDP, also for a law that closes it and listens again: a port that the system chose (port
   * 0) may then be the port of any client on this machine.
   */
  readonly port: number
  /** Empty, there for good, and this law's own. */
  readonly directory: string
  /** A file to which nothing can be written for want of room; undefined where the world cannot make one. */
  fullFile(): Promise<string | undefined>
  /** Certificates whose names fit `host`; undefined where none can be had. */
  readonly tls: TlsMaterial | undefined
}

/** One of the worlds that must keep the laws. */
export interface LawWorld {
  /** Looks at one law in a fresh place. */
  look(law: (place: Place) => Promise<void>): Promise<void>
  /**
   * What a power cut leaves: the first agent is cut off and starts again on its disk. Undefined: cannot be done here.
   */
  readonly crash: CrashWorld | undefined
}

export interface CrashWorld {
  /** Runs `before`, cuts the power when it is done, and runs `after` on what is left. Once for each of many fates. */
  look(before: (place: Place) => Promise<void>, after: (place: Place) => Promise<void>): Promise<void>
}

/** Registers one law. */
export type Law = (title: string, law: (place: Place) => Promise<void>) => void
