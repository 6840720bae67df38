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
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { MachineCondition, MachineInterface, ProcessCondition, RunningMachine } from '../env/process.ts'

/** The field's names of architectures. */
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
    localOffsetMs: (wallMs) => new Date(wallMs).getTimezoneOffset() * -60_000,
    interfaces,
    defaultInterface,
    condition,
    runtimeVersion: `node${process.versions.node}`,
    process: ownProcess(),
    ownProgram: { argv: [process.execPath, ...process.argv.slice(1, 2)], asRoot: process.getuid?.() === 0 },
  }
}

function ownProcess(): () => ProcessCondition {
  let residentBytes = 0
  let collections: Collections | undefined
  return () => {
    collections ??= new Collections()
    const resident = residentMemory()
    residentBytes = resident ?? residentBytes
    const { user, system } = process.cpuUsage()
    return {
      heapBytes: getHeapStatistics().used_heap_size,
      residentBytes,
      mayOpen: resident !== undefined,
      cpuSeconds: (user + system) / 1e6,
      pendingWork: process.getActiveResourcesInfo().length,
      gcRuns: collections.runs,
      gcPauseNs: collections.pauseNs,
      startSeconds: Math.round(Date.now() / 1000 - process.uptime()),
    }
  }
}

/** Counts the garbage collections of this process. */
class Collections {
  runs = 0
  pauseNs = 0

  constructor() {
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.runs++
        this.pauseNs += Math.round(duration * 1e6)
      }
    })
    observer.observe({ entryTypes: ['gc'] })
  }
}

/** The value is in a file, which a process without free descriptors cannot open. */
function residentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss()
  } catch {
    // The last known value remains: a metric is no reason to fail.
    return undefined
  }
}

function condition(): MachineCondition {
  const uptimeS = Math.floor(uptime())
  return {
    // libuv's free memory is the amount that a program can get, which the kernel calls available.
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
    // The caller shows it as an error.
    return undefined
  }
}

function interfaces(): readonly MachineInterface[] {
  const found: MachineInterface[] = []
  for (const [name, addresses] of Object.entries(networkInterfacesOrNone())) {
    for (const { address, cidr } of addresses ?? []) {
      const prefix = cidr?.split('/')[1]
      found.push({ name, address, ...(prefix === undefined ? {} : { prefix: Number(prefix) }) })
    }
  }
  return found
}

function networkInterfacesOrNone(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces()
  } catch {
    // Reading them needs a socket, which a process without a free descriptor cannot open: the caller finds no
    // interface.
    return {}
  }
}

/**
 * Linux lists its routes in a table: interface, destination, gateway, … in hexadecimal. Other systems are not
 * supported.
 */
function defaultInterface(): string | undefined {
  try {
    const rows = readFileSync('/proc/net/route', 'utf8').split('\n').slice(1)
    const fields = rows.map((row) => row.split('\t')).find(([, to, , , , , , mask]) => to === '00000000' && mask === to)
    return fields?.[0]
  } catch {
    // Without information on routes there is no default; the field reports the same.
    return undefined
  }
}
