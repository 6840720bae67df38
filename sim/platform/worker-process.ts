import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { lineBytesMax, type Worker, type WorkerEnd, type WorkerSaid } from '../pool/worker.ts'
import { sayPipe, workerArgument } from './worker-port.ts'

/**
 * Maximum number of characters of standard error that are kept, from either end: a fatal error of V8 is followed by a
 * long list.
 */
const errorsMax = 8_000

/** How to start a worker: `script` is what `node` runs, the program itself or a patched copy of it. */
export interface WorkerStart {
  readonly script: string
  readonly stallCpuMs: number
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/**
 * V8 starts a heap with a young space of 1 MB, which grows as it collects, and shrinks again when the process gets little
 * CPU time. A worker allocates megabytes in each virtual second from its first run on, so it begins with the largest.
 * `bin/bundle.js` says why that leaves kept code valid.
 */
const heapFlags = ['--min-semi-space-size=16']

/**
 * Each start of a server reads a log segment of 4 MiB. By default the C library asks the kernel for memory of such a size
 * and gives it back each time, and the kernel clears each page when it is first read.
 */
const memorySettings = { MALLOC_MMAP_THRESHOLD_: '67108864', MALLOC_TRIM_THRESHOLD_: '268435456' }

/**
 * A worker in a process of its own. Node's flags and environment are those of this process, so that heap and stack
 * have the size that the user has chosen; the settings above count where the user chose nothing.
 */
export function startWorker({ script, stallCpuMs, environment = {} }: WorkerStart): Worker {
  const argv = [...heapFlags, ...process.execArgv, script, workerArgument, String(stallCpuMs)]
  const env = { ...memorySettings, ...process.env, ...environment }
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'ignore', 'pipe', 'pipe'], env })
  const told = new Told()
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (errors.length < errorsMax) errors += text
    else errors = errors.slice(0, errorsMax / 2) + (errors.slice(errorsMax / 2) + text).slice(-errorsMax / 2)
  })
  readLines(
    child.stdio[sayPipe] as Readable,
    (line) => told.add({ line }),
    () => child.kill('SIGKILL'),
  )
  const input = child.stdin as Writable
  // A worker that has ended accepts nothing; its end reports that.
  input.on('error', () => {})
  child.on('error', (cause) => told.end({ code: undefined, signal: undefined, errors: cause.message }))
  child.on('close', (code, signal) => told.end({ code: code ?? undefined, signal: signal ?? undefined, errors }))
  return {
    send: (line) => void input.write(`${line}\n`),
    next: () => told.next(),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Lines that a worker has sent and that were not taken yet; it sends a few lines for each request. */
class Told {
  readonly #waiting: WorkerSaid[] = []
  #end: WorkerEnd | undefined
  #taker: ((said: WorkerSaid) => void) | undefined

  add(said: WorkerSaid): void {
    const taker = this.#taker
    this.#taker = undefined
    if (taker === undefined) this.#waiting.push(said)
    else taker(said)
  }

  end(end: WorkerEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#taker?.({ end })
    this.#taker = undefined
  }

  next(): Promise<WorkerSaid> {
    const said = this.#waiting.shift() ?? (this.#end === undefined ? undefined : { end: this.#end })
    if (said !== undefined) return Promise.resolve(said)
    return new Promise((resolve) => {
      this.#taker = resolve
    })
  }
}

/** Calls back with each line; `tooLong` once a line is longer than any valid one. */
function readLines(input: Readable, onLine: (line: string) => void, tooLong: () => void): void {
  let pieces: string[] = []
  let length = 0
  input.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      onLine(pieces.length === 0 ? line : pieces.join('') + line)
      pieces = []
      length = 0
    }
    if (rest === '') return
    pieces.push(rest)
    length += rest.length
    if (length > lineBytesMax) tooLong()
  })
}
