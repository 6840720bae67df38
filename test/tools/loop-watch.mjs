// Imported into an agent's process (NODE_OPTIONS): adds a line to $SVC_LOOP_WATCH/<pid> ten times a second: how long its event loop
// stood still at most.
// On a machine that is busy a process also waits for a core, which is no stall of ours: so what counts of a gap is no more
// than the time on a core that the main thread used in it. Threads that compile and collect garbage beside it do not count.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const beatMs = 5
const writtenEachMs = 100
const file = join(process.env['SVC_LOOP_WATCH'], String(process.pid))

let [atMs, cpuMs] = [performance.now(), turnedMs()]
let [stallMs, gapMs, writtenMs] = [0, 0, 0]

/** Of Linux the time of the main thread; elsewhere that of the process. */
function turnedMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    return usedMs()
  }
}

function usedMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

setInterval(() => {
  const [nowMs, nowCpuMs] = [performance.now(), turnedMs()]
  const gap = nowMs - atMs - beatMs
  gapMs = Math.max(gapMs, gap)
  stallMs = Math.max(stallMs, Math.min(gap, nowCpuMs - cpuMs))
  ;[atMs, cpuMs] = [nowMs, nowCpuMs]
  if (nowMs - writtenMs < writtenEachMs) return
  writtenMs = nowMs
  appendFileSync(file, `${JSON.stringify({ wallMs: Date.now(), stallMs, gapMs, cpuMs: usedMs() })}\n`)
  ;[stallMs, gapMs] = [0, 0]
}, beatMs).unref()
