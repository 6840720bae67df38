import { writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** The pipe through which a child reports its CPU time. */
export const cpuTimePipe = 3
/** Set in the environment of a child that has such a pipe. */
export const cpuTimeVariable = 'SVC_SIM_CPU_TIME'

const role = 'cpu-time'
const everyMs = 250

/**
 * Reports to the parent repeatedly how many milliseconds of CPU time this process has used, one number per line. It
 * runs in a thread of its own, because a hanging run does not yield its own thread.
 */
export function reportCpuTime(): void {
  new Worker(new URL(import.meta.url), { workerData: role }).unref()
}

function report(): void {
  const { user, system } = process.cpuUsage()
  try {
    writeSync(cpuTimePipe, `${Math.round((user + system) / 1000)}\n`)
  } catch {
    // The parent has ended, or reads no more.
    clearInterval(timer)
  }
}

let timer: NodeJS.Timeout | undefined
if (!isMainThread && workerData === role) timer = setInterval(report, everyMs)
