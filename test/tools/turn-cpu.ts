import { readFileSync } from 'node:fs'

/**
 * CPU time of this thread in ms: what others of its process use (test files in threads beside it, garbage collection in
 * the background) does not count, nor does waiting for a core. Of Linux; elsewhere that of the process.
 */
export function threadCpuMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

/** The CPU time in ms of the longest turn of this thread's event loop while something was awaited. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = threadCpuMs()
  let isOver = false
  const look = (): void => {
    const now = threadCpuMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
  }
  // The turn in which the work ended counts, too.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      look()
      resolve()
    })
  })
  return longest
}

/** Steps of the fixed loop, and the milliseconds that they take on the machine for which bounds were written. */
const fixedSteps = 50_000_000
const fixedMs = 55
let slowness: number | undefined

/**
 * How many times as slow as that machine this one is at present, at least 1: bounds of CPU time are multiplied by it. A
 * virtual machine may run at two thirds of its speed for an hour, because of what runs beside it.
 */
export function machineSlowness(): number {
  slowness ??= Math.max(1, Math.min(...[1, 2, 3].map(fixedLoopMs)) / fixedMs)
  return slowness
}

function fixedLoopMs(): number {
  const before = threadCpuMs()
  let sum = 0
  for (let at = 0; at < fixedSteps; at++) sum = (Math.imul(sum, 31) + at) | 0
  return sum === 0 ? 0 : threadCpuMs() - before
}

/**
 * The CPU time in ms that plain passes over a text take at this moment: parsed, lowered, encoded, decoded. Of work that
 * is all passes over one long text the cost is bounded as a multiple of this: what memory is worth on a virtual machine
 * changes from second to second, and a loop of arithmetic does not show it.
 */
export function textPassMs(json: string): number {
  const rounds = 4
  const before = threadCpuMs()
  let length = 0
  for (let round = 0; round < rounds; round++) {
    const lowered = JSON.stringify(JSON.parse(json)).toLowerCase()
    length += new TextDecoder().decode(new TextEncoder().encode(lowered)).length
  }
  return length === 0 ? 0 : (threadCpuMs() - before) / rounds
}
