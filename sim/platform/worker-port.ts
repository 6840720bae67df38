import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { WorkerPort } from '../pool/worker.ts'

/**
 * The first argument of a process that is a worker; the second is the limit of CPU time without progress, in
 * milliseconds.
 */
export const workerArgument = 'pool-worker'

/** The pipe through which a worker says lines: standard output stays free for whatever a library may print. */
export const sayPipe = 3

/** How often the thread that watches learns how far the run is, in milliseconds. */
const beatMs = 100

/** What the thread that watches sees of the run. */
export const beat = { run: 0, virtualUs: 1, active: 2, cpuMaxMs: 3, cells: 4 } as const

/**
 * The port of this process, which is a worker. `watched`: the memory that it shares with the thread that watches it.
 */
export function workerPort(watched: Float64Array): WorkerPort {
  return {
    requests: () => createInterface({ input: process.stdin }),
    say: (line) => writeWhole(`${line}\n`),
    watch: (virtualUs, cpuMaxMs = Number.POSITIVE_INFINITY) => {
      watched[beat.cpuMaxMs] = cpuMaxMs
      watched[beat.run] = (watched[beat.run] ?? 0) + 1
      watched[beat.virtualUs] = 0
      watched[beat.active] = 1
      // It runs between turns, where a run leaves room for other work; while one turn goes on for ever it does not.
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

/** A pipe takes as much as it has room for. */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(sayPipe, bytes, at)
}
