import type { RunningMachine as MachineFacts } from '../../src/env/process.ts'
import type { SimDisk } from './disk/disk.ts'
import type { Kernel } from './kernel.ts'
import type { Host } from './network/host.ts'
import type { Network } from './network/network.ts'
import type { NodeClock } from './node-clock.ts'
import type { Program } from './program.ts'

/** One machine, as the Env of a process on it needs it. */
export interface Machine {
  readonly kernel: Kernel
  readonly network: Network
  readonly host: Host
  readonly clock: NodeClock
  readonly disk: SimDisk
  /** Programs that a process may run, by name. */
  readonly programs: ReadonlyMap<string, Program>
  readonly facts: MachineFacts
  /** The process met an error that it did not expect. */
  failed(error: unknown): void
}
