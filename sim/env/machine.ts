import type { RunningMachine as MachineFacts } from '../../src/env/process.ts'
import type { DiskOptions, SimDisk } from '../world/disk/disk.ts'
import type { Kernel } from '../world/kernel.ts'
import type { Host } from '../world/network/host.ts'
import type { Network } from '../world/network/network.ts'
import type { ClockOptions, NodeClock } from '../world/node-clock.ts'

export interface NodeOptions {
  readonly name: string
  /** Its IP address. */
  readonly host: string
  readonly clock?: ClockOptions
  readonly disk?: DiskOptions
  /** Directories that exist durably before the first boot. */
  readonly directories?: readonly string[]
  readonly cpuCount?: number
}

/** A call of a program, in the view of its script. */
export interface ProgramCall {
  readonly argv: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly input: Uint8Array
}

/** The behaviour of a scripted program. */
export interface ProgramRun {
  /** Its duration. */
  readonly afterMs: number
  /** Its exit code, or the signal that ends it. */
  readonly exit: number | string
  readonly output?: string | Uint8Array
}

/** A child process in the simulator: its whole behaviour is known at its start. */
export type Program = (call: ProgramCall) => ProgramRun

/** One machine, in the view of a process's Env. */
export interface Machine {
  readonly kernel: Kernel
  readonly network: Network
  readonly host: Host
  readonly clock: NodeClock
  readonly disk: SimDisk
  /** Programs that a process may run, by name. */
  readonly programs: ReadonlyMap<string, Program>
  readonly facts: MachineFacts
  /** The process met an unexpected error. */
  failed(error: unknown): void
}

/** `address`: the machine's address at the time of the question. */
export function machineFacts(options: NodeOptions, address: () => string): MachineFacts {
  const interfaces = () => [
    { name: 'lo', address: '127.0.0.1', prefix: 8 },
    { name: 'eth0', address: address(), prefix: 24 },
  ]
  const condition = {
    memory: { total: 8_589_934_592, available: 4_294_967_296, free: 4_294_967_296 },
    processors: Array.from({ length: options.cpuCount ?? 2 }, () => ({ model: 'simulated', megahertz: 1_000 })),
    uptimeS: 1,
    bootTimeS: 1,
    kernelVersion: '1.0',
    disk: { total: 8_589_934_592, free: 4_294_967_296, inodesTotal: 1_000, inodesFree: 500 },
  }
  return {
    hostName: options.name,
    architecture: 'amd64',
    operatingSystem: 'linux',
    cpuCount: options.cpuCount ?? 2,
    localOffsetMs: () => 0,
    interfaces,
    defaultInterface: () => 'eth0',
    condition: () => condition,
  }
}
