import type { Result } from '../base/result.ts'

export interface ChildExit {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string
  /** Standard output and error as they came, the last `outputBytesMax` bytes. */
  readonly output: Uint8Array
  readonly timedOut: boolean
}

export interface ChildOptions {
  /** `Infinity`: it may run for ever. */
  readonly timeoutMs: number
  readonly outputBytesMax: number
  /** Added to the agent's own. */
  readonly environment?: ReadonlyMap<string, string>
  readonly input?: Uint8Array
  /** Is given what it prints, as it comes. */
  readonly onOutput?: (piece: Uint8Array) => void
  /** The process and its children are killed when this settles. */
  readonly until?: Promise<void>
  /** They get `SIGTERM` first, and are killed after this time; absent: they are killed at once. */
  readonly graceMs?: number
  /** Its standard input stays open and empty while the agent's process lives, so that a reader notices its end. */
  readonly tether?: boolean
}

export type SpawnFailure = {
  readonly kind: 'not-found' | 'permission' | 'io'
  readonly program: string
  readonly message: string
}

export interface Processes {
  /** Runs a program, no shell, until it ends; past `timeoutMs` it and what it started are killed. */
  run(argv: readonly [string, ...string[]], options: ChildOptions): Promise<Result<ChildExit, SpawnFailure>>
}

/** Facts about the machine that the agent shows and decides by at start. */
export interface Machine {
  readonly hostName: string
  readonly architecture: string
  readonly operatingSystem: string
  readonly cpuCount: number
  /** Addresses of the interfaces that are up. */
  interfaces(): readonly MachineInterface[]
  /** The interface of the default route; absent or undefined if it is unknown. */
  defaultInterface?(): string | undefined
}

/** The agent's own process. */
export interface ProcessCondition {
  /** Memory of its objects, and all of its memory. */
  readonly heapBytes: number
  readonly residentBytes: number
  /** Whether it may open another file or connection. */
  readonly mayOpen: boolean
  readonly cpuSeconds: number
  /** Pending asynchronous work, of all kinds. */
  readonly pendingWork: number
  /** Garbage collections since the process was first asked, and the time that they stopped it, nanoseconds. */
  readonly gcRuns: number
  readonly gcPauseNs: number
  /** Since 1970. */
  readonly startSeconds: number
}

export interface RunningMachine extends Machine {
  /** By how much the local time of people at this machine is ahead of UTC at an instant; negative west of it. */
  localOffsetMs(wallMs: number): number
  /** How this very program is started again; absent in the simulator, where it is no program. */
  readonly ownProgram?: { readonly argv: readonly [string, ...string[]]; readonly asRoot: boolean }
  /** The runtime and its release, such as `node20.11.0`; absent in the simulator. */
  readonly runtimeVersion?: string
  /** The present condition of the process; absent in the simulator, where agents share one. */
  readonly process?: () => ProcessCondition
  /** How it is at the moment. */
  condition(): MachineCondition
}

/** Bytes, and seconds since 1970 or since the start. */
export interface MachineCondition {
  readonly memory: { readonly total: number; readonly available: number; readonly free: number }
  readonly processors: readonly { readonly model: string; readonly megahertz: number }[]
  readonly uptimeS: number
  readonly bootTimeS: number
  readonly kernelVersion: string
  /** Of the file system at the root; undefined where it cannot be asked. */
  readonly disk:
    | { readonly total: number; readonly free: number; readonly inodesTotal: number; readonly inodesFree: number }
    | undefined
}

export interface MachineInterface {
  readonly name: string
  readonly address: string
  /** Bits of the address that are its network's; absent: all of them. */
  readonly prefix?: number
}
