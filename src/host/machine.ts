import { readFileSync, statfsSync } from 'node:fs'
import {
  arch,
  availableParallelism,
  cpus,
  freemem,
  hostname,
  networkInterfaces,
  platform,
  release,
  totalmem,
  uptime,
} from 'node:os'
import type { MachineCondition, MachineInterface, ProcessCondition, RunningMachine } from '../env/process.ts'

/** The names under which the field shows architectures. */
const architectureNames: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
])

export function createMachine(): RunningMachine {
  return {
    hostName: hostname(),
    architecture: architectureNames.get(arch()) ?? arch(),
    operatingSystem: platform() === 'win32' ? 'windows' : platform(),
    cpuCount: availableParallelism(),
    interfaces,
    defaultInterface,
    condition,
    process: ownProcess,
    ownProgram: { argv: [process.execPath, ...process.argv.slice(1, 2)], asRoot: process.getuid?.() === 0 },
  }
}

function ownProcess(): ProcessCondition {
  const { heapUsed, rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    heapBytes: heapUsed,
    residentBytes: rss,
    cpuSeconds: (user + system) / 1e6,
    startSeconds: Math.round(Date.now() / 1000 - process.uptime()),
  }
}

function condition(): MachineCondition {
  const uptimeS = Math.floor(uptime())
  return {
    // What libuv calls free is what a program can get: the kernel's own word for it is available.
    memory: { total: totalmem(), available: freemem(), free: freemem() },
    processors: cpus().map(({ model, speed }) => ({ model, megahertz: speed })),
    uptimeS,
    bootTimeS: Math.floor(Date.now() / 1000) - uptimeS,
    kernelVersion: release(),
    disk: rootDisk(),
  }
}

function rootDisk(): MachineCondition['disk'] {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync('/')
    return { total: blocks * bsize, free: bfree * bsize, inodesTotal: files, inodesFree: ffree }
  } catch {
    // Shown as an error by whoever asks.
    return undefined
  }
}

function interfaces(): readonly MachineInterface[] {
  const found: MachineInterface[] = []
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    for (const { address, cidr } of addresses ?? []) {
      const prefix = cidr?.split('/')[1]
      found.push({ name, address, ...(prefix === undefined ? {} : { prefix: Number(prefix) }) })
    }
  }
  return found
}

/** Linux tells of routes in a table: interface, destination, gateway, … in hexadecimal. Other systems are not asked. */
function defaultInterface(): string | undefined {
  try {
    const rows = readFileSync('/proc/net/route', 'utf8').split('\n').slice(1)
    const fields = rows.map((row) => row.split('\t')).find(([, to, , , , , , mask]) => to === '00000000' && mask === to)
    return fields?.[0]
  } catch {
    // Without a word on routes there is no default: the field says so as well.
    return undefined
  }
}
