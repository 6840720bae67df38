import type { StartFailure } from '../../src/agent/boot/lifecycle.ts'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import type { Release } from '../../src/model/release.ts'
import type { DiskLook } from './raft/disk-look.ts'

/** How one server measures time in consensus. */
export interface ServerTiming {
  /** Its own monotonic clock in milliseconds, as its process reads it now. */
  readonly monoMs: () => number
  readonly heartbeatTimeoutMs: number
  readonly leaderLeaseMs: number
  readonly detection: 'adaptive' | 'fixed'
}

/** Something that a process has open. */
export interface HeldThing {
  /** The path of a file, or the address of a peer. */
  readonly what: string
  /** Since when it could have been given back, in microseconds of true time. */
  readonly sinceUs: number
}

export interface Held {
  /** Open files, from their opening on. */
  readonly files: readonly HeldThing[]
  /** Connections that are still open, from the arrival of the peer's end on. */
  readonly ended: readonly HeldThing[]
  /** Addresses at which it listens. */
  readonly sockets: readonly string[]
}

/** What a process leaves behind that has stopped in order. */
export interface LeftBehind extends Pick<Held, 'files' | 'sockets'> {
  /** Peers of open connections, without those that HTTP keeps by itself. */
  readonly connections: readonly string[]
  readonly timers: readonly ArmedTimer[]
}

/** A timer that has neither fired nor been closed. */
export interface ArmedTimer {
  readonly waitsFor: string | undefined
  readonly dueInMs: number
}

/** Most facts are about one node. */
export interface OfNode {
  readonly node: string
}

interface Why {
  /** What the process says of its end. */
  readonly said: string
}

/** Reported by the cluster about the processes on its machines. */
export interface ProcessFacts {
  /** `id`: its Raft server ID. `name`: what other agents call it; absent: as its machine. */
  readonly 'process began': OfNode & {
    readonly boot: number
    readonly id: string
    readonly name?: string | undefined
    readonly timing?: ServerTiming | undefined
    /** A snapshot of its present state; undefined while it starts. */
    readonly snapshot?: (() => Uint8Array | undefined) | undefined
  }
  /** `node`: where the agent is renamed, its machine; absent: as the agent. */
  readonly 'settings read': { readonly node?: string | undefined; readonly config: AgentConfig }
  /** The process has ended, and nothing of it waits. */
  readonly 'process died': OfNode
  /** It stopped itself: its release does not know a command, or it panicked. */
  readonly 'process panicked': OfNode & { readonly release: Release; readonly violation: Error }
  readonly 'start failed': OfNode & { readonly message: string }
  /** A signal has told it to end in order, which may take a while. */
  readonly 'process told to end': OfNode
  /** It has stopped in order, by a signal, and its process would exit now. */
  readonly 'process stopped': OfNode & { readonly left: LeftBehind }
  /** What is on the disk of a server is looked at. */
  readonly 'disk looked at': OfNode & { readonly look: DiskLook }
  /** The process is paused from now on. */
  readonly 'process paused': OfNode
  readonly 'process resumed': OfNode
  /** A program that is no agent of this run takes part in its pool, and sends whatever it likes. */
  readonly 'stranger came': OfNode
  /** It sends nothing more. */
  readonly 'stranger went': OfNode
  /** An operator has given the agent another name, which its next process uses. */
  readonly 'agent renamed': OfNode & { readonly id: string; readonly from: string }
  /** It runs at another address from now on. */
  readonly 'agent moved': OfNode & { readonly id: string; readonly host: string }
  /** Another machine has the name of a lost one; promises of the old one do not bind it. */
  readonly 'machine replaced': OfNode
  /** Its removal from the catalog or from the Raft group was requested. `id`: its node ID. */
  readonly 'removal allowed': OfNode & { readonly id: string; readonly why: 'left' | 'replaced' | 'operator' }
  /** It did not start, and the scenario explains why. `isDamaged`: its files are corrupt. */
  readonly 'process did not start': OfNode & { readonly isDamaged: boolean; readonly kind: StartFailure['kind'] } & Why
  /** It stopped itself, because its disk failed. */
  readonly 'process stopped by its disk': OfNode & Why
  /** An operation of its disk failed, because a fault makes such operations fail. */
  readonly 'disk operation failed': OfNode & {
    readonly operation: string
    readonly path: string
  }
  /** A file could not be written, because its disk has no space. */
  readonly 'disk found full': OfNode & { readonly path: string }
  /** `what`: `topic: text` of a line of its log, or the name of a counter that it counts for the first time. */
  readonly 'process told': OfNode & { readonly what: string }
  /** The same of a proxy of the mesh, which runs on a machine without an agent. */
  readonly 'proxy told': { readonly what: string }
  /**
   * An event that faults may wait for. `isCut`: some link carries nothing. `hasReplacedVoter`: a machine that replaced
   * a lost one has a vote.
   */
  readonly 'event seen': OfNode & {
    readonly event: string
    readonly isCut: boolean
    readonly hasReplacedVoter: () => boolean
  }
  /**
   * The requested removal cannot happen any more: the agent runs, and in a pool that was calm for long enough all
   * members know so. Without an ID, its machine is another.
   */
  readonly 'removal over': OfNode & { readonly id: string | undefined }
  readonly 'turn ended': object
  /** After each turn. `isTroubled`: some link is cut or slow, or some clock is wrong. */
  readonly 'network looked at': { readonly isTroubled: () => boolean }
  /** Text of a log line or an answer. `where`: `log`, or the path of the request. */
  readonly 'text shown': OfNode & { readonly where: string; readonly text: () => string }
  /** An agent answered a request over HTTP. `where`: its target; `tookMs`: its duration by the agent's own clock. */
  readonly 'answer shown': OfNode & {
    readonly where: string
    readonly status: number
    readonly tookMs: number
    readonly text: () => string
  }
}
