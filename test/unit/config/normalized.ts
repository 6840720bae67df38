import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import type { Machine } from '../../../src/env/process.ts'

export function machine(...addresses: readonly string[]): Machine {
  return {
    hostName: 'host-1',
    architecture: 'x64',
    operatingSystem: 'linux',
    cpuCount: 2,
    interfaces: () => addresses.map((address, at) => ({ name: `eth${at}`, address })),
  }
}

export const server: FileConfig = { server: true, data_dir: '/var/svc', bind_addr: '10.0.0.1' }

export function linesOfConfig(file: FileConfig, dev = false, on = machine('10.0.0.1')): readonly string[] {
  const normalized = normalize(file, dev, on)
  return normalized.ok ? [] : normalized.error.map(problemText)
}
