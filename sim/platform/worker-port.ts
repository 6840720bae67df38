import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { WorkerPort } from '../pool/worker.ts'

/** The first argument of a worker's process; the second is the maximum CPU time without progress, in milliseconds. */
export const workerArgument = 'pool-worker'

/** The pipe through which a worker sends lines: standard output remains free for whatever a library may print. */
export const sayPipe = 3

/** How often the watching thread learns the run's progress, in milliseconds. */
const beatMs = 100

/** Cells with the run's progress, which the watching thread reads. */
export const beat = { run: 0, virtualUs: 1, active: 2, cpuMaxMs: 3, cells: 4 } as const

/** The port of this process, which is a worker. `watched`: the memory shared with the watching thread. */
export function workerPort(watched: Float64Array): WorkerPort {
  return {
    requests: () => createInterface({ input: process.stdin }),
    say: (line) => writeWhole(`${line}\n`),
    watch: (virtualUs, cpuMaxMs = Number.POSITIVE_INFINITY) => {
      watched[beat.cpuMaxMs] = cpuMaxMs
      watched[beat.run] = (watched[beat.run] ?? 0) + 1
      watched[beat.virtualUs] = 0
      watched[beat.active] = 1
      // It runs between turns, when a run lets other work run; while one turn does not end, it does not run.
      const timer = setInterval(() => {
        watched[beat.virtualUs] = virtualUs()
      }, beatMs)
      return () => {
        watched[beat.active] = 0
        clearInterval(timer)
      }
    },
  }
}

/** A pipe accepts only as much as it has room for. */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(sayPipe, bytes, at)
}
