import { z } from 'zod'
import type { RunningMachine } from '../../env/process.ts'
import { listOf, textList, uint64Value } from '../http/declared-answers.ts'

const diskShape = z
  .strictObject({
    path: z.string(),
    total: z.number(),
    free: z.number(),
    used: z.number(),
    usedPercent: z.number(),
    inodesTotal: z.number(),
    inodesFree: z.number(),
    inodesUsed: z.number(),
    inodesUsedPercent: z.number(),
  })
  .partial()

export const hostShape = z.strictObject({
  Memory: z.strictObject({
    total: z.number(),
    available: z.number(),
    used: z.number(),
    usedPercent: z.number(),
    free: z.number(),
  }),
  CPU: listOf(z.strictObject({ cpu: z.number(), cores: z.number(), modelName: z.string(), mhz: z.number() })),
  Host: z.strictObject({
    hostname: z.string(),
    uptime: z.number(),
    bootTime: z.number(),
    os: z.string(),
    kernelVersion: z.string(),
  }),
  Disk: diskShape,
  CollectionTime: uint64Value,
  Errors: textList.nullable(),
})

/**
 * Facts and load of the machine, under the names of the field's library (gopsutil). What the platform does not report
 * is left out. Reference: agent.md#get-v1-agent-host.
 */
export function hostJson(machine: RunningMachine, wallMs: number): z.infer<typeof hostShape> {
  const condition = machine.condition()
  const { memory, processors, disk } = condition
  const used = memory.total - memory.available
  return {
    Memory: {
      total: memory.total,
      available: memory.available,
      used,
      usedPercent: percent(used, memory.total),
      free: memory.free,
    },
    CPU: processors.map(({ model, megahertz }, cpu) => ({ cpu, cores: 1, modelName: model, mhz: megahertz })),
    Host: {
      hostname: machine.hostName,
      uptime: condition.uptimeS,
      bootTime: condition.bootTimeS,
      os: machine.operatingSystem,
      kernelVersion: condition.kernelVersion,
    },
    Disk:
      disk === undefined
        ? {}
        : {
            path: '/',
            total: disk.total,
            free: disk.free,
            used: disk.total - disk.free,
            usedPercent: percent(disk.total - disk.free, disk.total),
            inodesTotal: disk.inodesTotal,
            inodesFree: disk.inodesFree,
            inodesUsed: disk.inodesTotal - disk.inodesFree,
            inodesUsedPercent: percent(disk.inodesTotal - disk.inodesFree, disk.inodesTotal),
          },
    CollectionTime: BigInt(Math.trunc(wallMs)) * 1_000_000n,
    Errors: disk === undefined ? ['the file system at / cannot be asked'] : null,
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (part * 100) / whole
}
