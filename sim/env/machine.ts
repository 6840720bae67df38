import type { Machine as MachineFacts } from '../../src/env/process.ts'
import type { NodeOptions } from '../world/node-options.ts'

export function machineFacts(options: NodeOptions): MachineFacts {
  const interfaces = [
    { name: 'lo', address: '127.0.0.1' },
    { name: 'eth0', address: options.host },
  ]
  return {
    hostName: options.name,
    architecture: 'amd64',
    operatingSystem: 'linux',
    cpuCount: options.cpuCount ?? 2,
    interfaces: () => interfaces,
  }
}
