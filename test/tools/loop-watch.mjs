// Imported into an agent's process (NODE_OPTIONS): adds a line to $SVC_LOOP_WATCH/<pid> ten times a second: how long its event loop
// stood still at most.
// On a machine that is busy a process also waits for a core, which is no stall of ours: so what counts of a gap is no more
// than the time on a core that the process used in it.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

const beatMs = 5
const writtenEachMs = 100
const file = join(process.env['SVC_LOOP_WATCH'], String(process.pid))

let [atMs, cpuMs] = [performance.now(), usedMs()]
let [stallMs, gapMs, writtenMs] = [0, 0, 0]

function usedMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

setInterval(() => {
  const [nowMs, nowCpuMs] = [performance.now(), usedMs()]
  const gap = nowMs - atMs - beatMs
  gapMs = Math.max(gapMs, gap)
  stallMs = Math.max(stallMs, Math.min(gap, nowCpuMs - cpuMs))
  ;[atMs, cpuMs] = [nowMs, nowCpuMs]
  if (nowMs - writtenMs < writtenEachMs) return
  writtenMs = nowMs
  appendFileSync(file, `${JSON.stringify({ wallMs: Date.now(), stallMs, gapMs, cpuMs: nowCpuMs })}\n`)
  ;[stallMs, gapMs] = [0, 0]
}, beatMs).unref()
