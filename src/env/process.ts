import type { Result } from '../base/result.ts'

export interface ChildExit {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string
  /** Standard output and error in the order of arrival, the last `outputBytesMax` bytes. */
  readonly output: Uint8Array
  readonly timedOut: boolean
}

export interface ChildOptions {
  /** `Infinity`: no time limit. */
  readonly timeoutMs: number
  readonly outputBytesMax: number
  /** Added to the agent's own environment. */
  readonly environment?: ReadonlyMap<string, string>
  readonly input?: Uint8Array
  /** Called with the output as it arrives. */
  readonly onOutput?: (piece: Uint8Array) => void
  /** The process and its children are killed when this settles. */
  readonly until?: Promise<void>
  /** The processes get `SIGTERM` first, and are killed after this time; absent: they are killed at once. */
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
  /** Runs a program, without a shell, until it ends; after `timeoutMs` the program and its children are killed. */
  run(argv: readonly [string, ...string[]], options: ChildOptions): Promise<Result<ChildExit, SpawnFailure>>
}

/** Facts about the machine that the agent shows, and that it uses at its start. */
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
  /** Memory of its objects, and its whole memory. */
  readonly heapBytes: number
  readonly residentBytes: number
  /** Whether the process may open another file or connection. */
  readonly mayOpen: boolean
  readonly cpuSeconds: number
  /** Pending asynchronous work, of all kinds. */
  readonly pendingWork: number
  /** Garbage collections since the first request, and the time that they stopped the process, in nanoseconds. */
  readonly gcRuns: number
  readonly gcPauseNs: number
  /** Since 1970. */
  readonly startSeconds: number
}

export interface RunningMachine extends Machine {
  /** How much the local time of this machine is ahead of UTC at an instant; negative west of it. */
  localOffsetMs(wallMs: number): number
  /** How to start this program again; absent in the simulator, where it is no program. */
  readonly ownProgram?: { readonly argv: readonly [string, ...string[]]; readonly asRoot: boolean }
  /** The runtime and its release, such as `node20.11.0`; absent in the simulator. */
  readonly runtimeVersion?: string
  /** The present condition of the process; absent in the simulator, where agents share one. */
  readonly process?: () => ProcessCondition
  /** The present condition. */
  condition(): MachineCondition
}

/** Bytes, and seconds since 1970 or since the start. */
export interface MachineCondition {
  readonly memory: { readonly total: number; readonly available: number; readonly free: number }
  readonly processors: readonly { readonly model: string; readonly megahertz: number }[]
  readonly uptimeS: number
  readonly bootTimeS: number
  readonly kernelVersion: string
  /** Of the file system at the root; undefined if it cannot be read. */
  readonly disk:
    | { readonly total: number; readonly free: number; readonly inodesTotal: number; readonly inodesFree: number }
    | undefined
}

export interface MachineInterface {
  readonly name: string
  readonly address: string
  /** Number of bits of the address that belong to its network; absent: all of them. */
  readonly prefix?: number
}
