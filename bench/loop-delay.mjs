/**
 * Loaded into an agent's process with `--import`: measures the delay of its event loop, as `monitorEventLoopDelay` has it,
 * and its remainder without the time for which the main thread was ready to run and others had the core (Linux tells
 * it in schedstat): the agent's own doing, on a machine that is shared; and the CPU that the main thread took between two
 * looks, which leaves out the garbage collector's other threads, for which it waits. SIGUSR2 begins; the next ends, and the figures of
 * the time between go, as a line of JSON, to the file that `SVC_LOOP_DELAY` names.
 */
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** Milliseconds between two looks; what is told is how much longer it took. */
const everyMs = 1
const delay = monitorEventLoopDelay({ resolution: everyMs })
const longestGc = []
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestGc.push(duration)
}).observe({ entryTypes: ['gc'] })

const bytes = Buffer.alloc(100)
/** For how long the main thread has run, and for how long it waited for a core, since it began. */
function scheduled() {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0))
  closeSync(file)
  const [ranNs, waitedNs] = text.split(' ').map(Number)
  return { ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 }
}

let own = []
let cpu = []
let timer
function look(lastMs, last) {
  timer = setTimeout(() => {
    const [nowMs, now] = [performance.now(), scheduled()]
    own.push(Math.max(0, nowMs - lastMs - everyMs - (now.waitedMs - last.waitedMs)))
    cpu.push(now.ranMs - last.ranMs)
    look(nowMs, now)
  }, everyMs)
  timer.unref()
}

function figures(numbers) {
  const sorted = numbers.sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { p99: at(0.99), p999: at(0.999), max: sorted.at(-1) }
}

process.on('SIGUSR2', () => {
  if (timer !== undefined) {
    delay.disable()
    clearTimeout(timer)
    timer = undefined
    const whole = { p99: delay.percentile(99), p999: delay.percentile(99.9), max: delay.max }
    for (const key of Object.keys(whole)) whole[key] = whole[key] / 1e6 - everyMs
    const gcMs = longestGc.sort((a, b) => b - a).slice(0, 3)
    const told = { whole, own: figures(own), cpu: figures(cpu), gcMs }
    appendFileSync(process.env.SVC_LOOP_DELAY, `${JSON.stringify(told)}\n`)
    return
  }
  longestGc.length = 0
  own = []
  cpu = []
  delay.reset()
  delay.enable()
  look(performance.now(), scheduled())
})
