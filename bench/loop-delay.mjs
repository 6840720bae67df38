/**
 * Loaded into an agent's process with `--import`: measures the delay of its event loop. SIGUSR2 begins anew; at the next
 * the figures of the time between go, as a line of JSON, to the file that `SVC_LOOP_DELAY` names.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** Milliseconds between two looks; what is told is how much longer it took. */
const everyMs = 1
const delay = monitorEventLoopDelay({ resolution: everyMs })
const longestGc = []
new PerformanceObserver((list) => {
  for (const { duration, detail } of list.getEntries()) longestGc.push({ ms: duration, kind: detail.kind })
}).observe({ entryTypes: ['gc'] })

let running = false
process.on('SIGUSR2', () => {
  if (running) {
    delay.disable()
    const at = (percentile) => delay.percentile(percentile) / 1e6 - everyMs
    const gc = longestGc.sort((a, b) => b.ms - a.ms).slice(0, 5)
    const told = { count: delay.count, p50: at(50), p99: at(99), p999: at(99.9), max: delay.max / 1e6 - everyMs, gc }
    appendFileSync(process.env.SVC_LOOP_DELAY, `${JSON.stringify(told)}\n`)
  }
  longestGc.length = 0
  delay.reset()
  delay.enable()
  running = true
})
