import { writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** The pipe of a child through which it tells how much CPU time it has used. */
export const cpuTimePipe = 3
/** In the environment of a child that has such a pipe. */
export const cpuTimeVariable = 'SVC_SIM_CPU_TIME'

const role = 'cpu-time'
const everyMs = 250

/**
 * Tells the parent again and again how many milliseconds of CPU time this process has used, one number a line: from a
 * thread of its own, for a run that hangs gives its own thread back to nobody.
 */
export function reportCpuTime(): void {
  new Worker(new URL(import.meta.url), { workerData: role }).unref()
}

function report(): void {
  const { user, system } = process.cpuUsage()
  try {
    writeSync(cpuTimePipe, `${Math.round((user + system) / 1000)}\n`)
  } catch {
    // The parent is gone, or reads no more: there is nobody to tell.
    clearInterval(timer)
  }
}

let timer: NodeJS.Timeout | undefined
if (!isMainThread && workerData === role) timer = setInterval(report, everyMs)
