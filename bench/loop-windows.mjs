/**
 * Loaded into an agent's process with `--import`: every five seconds it adds a line of JSON to the file that
 * `SVC_LOOP_WINDOWS` names, with the delay of the agent's event loop in that window. A process also waits for a core on
 * a machine that is busy, which is not its own doing: of a delay no more counts than the main thread computed in it.
 */
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'

const beatMs = 10
const windowMs = 5000
const bytes = Buffer.alloc(100)

/** Milliseconds for which the main thread has run, by the scheduler of Linux. */
function ranMs() {
  const file = openSync('/proc/self/schedstat', 'r')
  const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0))
  closeSync(file)
  return Number(text.split(' ', 1)[0]) / 1e6
}

let last = { atMs: performance.now(), ranMs: ranMs() }
let beganMs = last.atMs
let delays = []
let gapMs = 0

function beat() {
  const now = { atMs: performance.now(), ranMs: ranMs() }
  const gap = Math.max(0, now.atMs - last.atMs - beatMs)
  gapMs = Math.max(gapMs, gap)
  delays.push(Math.min(gap, now.ranMs - last.ranMs))
  last = now
  if (now.atMs - beganMs < windowMs) return
  delays.sort((a, b) => a - b)
  const p99Ms = delays[Math.floor(delays.length * 0.99)]
  const line = { wallMs: Date.now(), p99Ms, maxMs: delays.at(-1), gapMs }
  appendFileSync(process.env.SVC_LOOP_WINDOWS, `${JSON.stringify(line)}\n`)
  beganMs = now.atMs
  delays = []
  gapMs = 0
}

setInterval(beat, beatMs).unref()
