import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import type { Stuck } from '../pool/messages.ts'

/**
 * A thread beside a worker's own, because a hanging run does not yield its thread. It compares the CPU time of the
 * process with the virtual time of the run. If the first grows beyond the limit while the second stands still, it makes
 * the inspector stop the thread wherever it is, reports that with the stack, and ends the process. A run may also have
 * a limit on its total CPU time.
 *
 * This file is loaded twice: by the worker, which starts the thread, and by the thread. It imports nothing of the
 * program.
 */

interface Watched {
  readonly role: 'worker-watch'
  readonly memory: SharedArrayBuffer
  readonly stallCpuMs: number
  readonly pipe: number
}

/** Cells in the shared memory, see `worker-port.ts`. */
const [run, virtualUs, active, cpuMaxMs] = [0, 1, 2, 3]
const everyMs = 250
/** A process that uses no CPU time at all for this long, by the wall clock, waits for something that never comes. */
const idleMs = 600_000
const idleCpuMs = 1_000
/** If the stack is not there within this time, the worker ends without it. */
const stackMs = 5_000
const framesMax = 20

export function watchWorker(stallCpuMs: number, pipe: number, cells: number): Float64Array {
  const memory = new SharedArrayBuffer(cells * Float64Array.BYTES_PER_ELEMENT)
  const watched: Watched = { role: 'worker-watch', memory, stallCpuMs, pipe }
  new Worker(new URL(import.meta.url), { workerData: watched }).unref()
  return new Float64Array(memory)
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

class Watch {
  readonly #watched: Watched
  readonly #cells: Float64Array
  readonly #parent = process.ppid
  #seen = ''
  #since = { cpuMs: 0, wallMs: 0 }
  /** The present run, and the CPU time of the process when it was first seen. */
  #begun = { run: -1, cpuMs: 0 }
  #isStuck = false

  constructor(watched: Watched) {
    this.#watched = watched
    this.#cells = new Float64Array(watched.memory)
  }

  look(): void {
    // The requesting process has ended, and with it the only reader.
    if (process.ppid !== this.#parent) process.kill(process.pid, 'SIGKILL')
    if (this.#isStuck) return
    const now = { cpuMs: cpuMs(), wallMs: performance.now() }
    this.#noticeRun(now.cpuMs)
    const seen = `${this.#cells[run]} ${this.#cells[virtualUs]} ${this.#cells[active]}`
    const isCostly = this.#cells[active] === 1 && now.cpuMs - this.#begun.cpuMs > (this.#cells[cpuMaxMs] ?? 0)
    if (!isCostly && (seen !== this.#seen || this.#cells[active] !== 1)) {
      this.#seen = seen
      this.#since = now
      return
    }
    const used = { cpuMs: now.cpuMs - this.#since.cpuMs, wallMs: now.wallMs - this.#since.wallMs }
    const isIdle = used.wallMs > idleMs && used.cpuMs < idleCpuMs
    if (!isCostly && used.cpuMs <= this.#watched.stallCpuMs && !isIdle) return
    this.#isStuck = true
    this.#tell(used)
  }

  #noticeRun(nowMs: number): void {
    const number = this.#cells[run] ?? 0
    if (number !== this.#begun.run) this.#begun = { run: number, cpuMs: nowMs }
  }

  /** Reports by the inspector, which stops the other thread in the middle of any loop, including promise jobs. */
  #tell(used: { readonly cpuMs: number; readonly wallMs: number }): void {
    const say = (stack: readonly string[]): void => {
      const stuck: Stuck = { kind: 'stuck', ...used, virtualUs: this.#cells[virtualUs] ?? 0, stack: [...stack] }
      writeSync(this.#watched.pipe, `${JSON.stringify(stuck)}\n`)
      process.kill(process.pid, 'SIGKILL')
    }
    const session = new Session()
    const urls = new Map<string, string>()
    session.on('Debugger.scriptParsed', ({ params }) => void urls.set(params.scriptId, params.url))
    session.on('Debugger.paused', ({ params }) => {
      const frames = params.callFrames.slice(0, framesMax)
      say(
        frames.map(({ functionName, location }) => {
          const { scriptId, lineNumber, columnNumber = 0 } = location
          const file = (urls.get(scriptId) ?? 'unknown').replace(/^.*\/(?=dist\/)/, '')
          return `${functionName || '(anonymous)'} (${file}:${lineNumber + 1}:${columnNumber + 1})`
        }),
      )
    })
    setTimeout(() => say([]), stackMs)
    session.connectToMainThread()
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  }
}

const watched = workerData as Partial<Watched> | null
if (!isMainThread && watched?.role === 'worker-watch') {
  const watch = new Watch(watched as Watched)
  setInterval(() => watch.look(), everyMs)
}
