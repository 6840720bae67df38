import type { RunningMachine as MachineFacts } from '../../src/env/process.ts'
import type { NodeOptions } from '../world/node-options.ts'

export function machineFacts(options: NodeOptions): MachineFacts {
  const interfaces = [
    { name: 'lo', address: '127.0.0.1', prefix: 8 },
    { name: 'eth0', address: options.host, prefix: 24 },
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
    interfaces: () => interfaces,
    defaultInterface: () => 'eth0',
    condition: () => condition,
  }
}
