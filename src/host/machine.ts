import { arch, availableParallelism, hostname, networkInterfaces, platform } from 'node:os'
import type { Machine, MachineInterface } from '../env/process.ts'

/** The names under which the field shows architectures. */
const architectureNames: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
])

export function createMachine(): Machine {
  return {
    hostName: hostname(),
    architecture: architectureNames.get(arch()) ?? arch(),
    operatingSystem: platform() === 'win32' ? 'windows' : platform(),
    cpuCount: availableParallelism(),
    interfaces,
  }
}

function interfaces(): readonly MachineInterface[] {
  const found: MachineInterface[] = []
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    for (const { address } of addresses ?? []) found.push({ name, address })
  }
  return found
}
