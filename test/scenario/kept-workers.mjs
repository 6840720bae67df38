import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { PassThrough, Writable } from 'node:stream'

/**
 * Gives a command's pool the workers of the command before it: most commands of tests run a few short seeds, for which
 * the start of a worker costs ten times as much as they do. A worker is kept if it is idle when its command ends it, and
 * if no command asked it for what stays with a worker.
 */
const workerArgument = 'pool-worker'
const keptMax = 2
/** What a worker takes from its first request for all later ones, and what leaves counters behind. */
const staying = /"(?:searchStepsMax|code|sites|mutant)":/

const { spawn } = childProcess
/** Idle workers by their command lines. */
const kept = []

/** The process of a worker, in the view of the command that started it. */
class LentWorker extends EventEmitter {
  stderr = new PassThrough()
  #said = new PassThrough()
  stdio = [undefined, undefined, this.stderr, this.#said]
  #start
  #waiting = ''
  #rest = ''
  #worker
  /** Seeds that were asked for and have not ended. */
  #open = 0
  #isKeepable = true
  #isOver = false
  stdin = new Writable({
    decodeStrings: false,
    write: (text, _, done) => {
      this.#ask(text)
      done()
    },
  })

  constructor(start) {
    super()
    this.#start = start
  }

  kill(signal) {
    if (this.#isOver) return true
    this.#isOver = true
    const worker = this.#worker
    worker?.leave()
    const isKept = worker !== undefined && this.#isKeepable && this.#open === 0 && kept.length < keptMax
    if (isKept) kept.push(worker)
    else worker?.child.kill(signal)
    setImmediate(() => this.emit('close', null, signal))
    return true
  }

  #ask(text) {
    this.#waiting += text
    const seeds = text.split('\n').filter((line) => line.startsWith('{"kind":"seed"'))
    if (seeds.length === 0) return
    this.#open += seeds.length
    if (seeds.some((line) => staying.test(line))) this.#isKeepable = false
    this.#worker ??= this.#found()
    this.#worker.child.stdin.write(this.#waiting)
    this.#waiting = ''
  }

  #found() {
    const key = JSON.stringify(this.#start.slice(0, 2))
    const at = this.#isKeepable ? kept.findIndex((each) => each.key === key && each.child.exitCode === null) : -1
    if (at >= 0) this.#said.write('{"kind":"ready"}\n')
    const child = at >= 0 ? kept.splice(at, 1)[0].child : started(this.#start)
    const said = (bytes) => void this.#heard(bytes)
    const complained = (bytes) => void this.stderr.write(bytes)
    const ended = (code, signal) => {
      if (!this.#isOver) this.emit('close', code, signal)
      this.#isOver = true
    }
    child.stdio[3].on('data', said)
    child.stderr.on('data', complained)
    child.on('close', ended)
    const leave = () => {
      child.stdio[3].off('data', said)
      child.stderr.off('data', complained)
      child.off('close', ended)
    }
    return { key, child, leave }
  }

  #heard(bytes) {
    const lines = (this.#rest + bytes.toString('latin1')).split('\n')
    this.#rest = (lines.pop() ?? '').slice(0, 20)
    this.#open -= lines.filter((line) => line.startsWith('{"kind":"ended"')).length
    this.#said.write(bytes)
  }
}

function started(start) {
  const child = spawn(...start)
  // A worker that has ended accepts nothing; its end reports that.
  child.stdin.on('error', () => {})
  return child
}

childProcess.spawn = (program, args, options) =>
  args.includes(workerArgument) && program === process.execPath
    ? new LentWorker([program, args, options])
    : spawn(program, args, options)
syncBuiltinESMExports()
