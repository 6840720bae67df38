import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, onTestFinished } from 'vitest'

export const projectRoot = new URL('../..', import.meta.url).pathname

export interface Finished {
  readonly exit: number
  readonly out: string
  readonly err: string
}

export interface SvcSimOptions {
  /** The Node that runs it; this one if absent. */
  readonly node?: string
  readonly nodeFlags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What runs instead of `bin/svc-sim.js`. */
  readonly script?: string
}

/**
 * Runs a command of the built `svc-sim` to its end. Commands share a process, in which code is warm: a start and cold
 * code cost most commands more than what they do. In a process of its own runs what asks for one by its options, and
 * what has a planted bug: a copy of the program then writes to the output of the process.
 */
export function svcSim(args: readonly string[], options: SvcSimOptions = {}): Promise<Finished> {
  const { cwd = projectRoot, ...own } = options
  if (Object.keys(own).length > 0 || args.includes('--bug')) return svcSimAlone(args, options)
  return warmSvcSim().run(args, cwd)
}

/** Runs the built `svc-sim` in a process of its own, to its end. */
function svcSimAlone(args: readonly string[], options: SvcSimOptions = {}): Promise<Finished> {
  const { node = process.execPath, nodeFlags = [], environment = {}, cwd = projectRoot } = options
  const script = options.script ?? join(projectRoot, 'bin/svc-sim.js')
  const argv = [...nodeFlags, script, ...args]
  return new Promise((resolve, reject) => {
    execFile(node, argv, { cwd, env: { ...process.env, ...environment }, maxBuffer: 64 << 20 }, (error, out, err) => {
      const code = error === null ? 0 : error.code
      if (typeof code === 'number') resolve({ exit: code, out, err })
      else reject(error ?? new Error('no exit code'))
    })
  })
}

/** The process of `warm-svc-sim.mjs`, which ends with this one. */
class WarmSvcSim {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, { resolve(finished: Finished): void; reject(cause: Error): void }>()
  #asked = 0
  #ended: Error | undefined

  constructor() {
    const script = join(projectRoot, 'test/scenario/warm-svc-sim.mjs')
    this.#child = fork(script, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#child.on('message', ({ id, ...finished }: Finished & { readonly id: number }) => {
      this.#waiting.get(id)?.resolve(finished)
      this.#waiting.delete(id)
    })
    this.#child.on('exit', (code, signal) => {
      this.#ended = new Error(`the process of svc-sim ended: ${code ?? signal}`)
      for (const { reject } of this.#waiting.values()) reject(this.#ended)
    })
    this.#child.unref()
    this.#child.channel?.unref()
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  run(args: readonly string[], cwd: string): Promise<Finished> {
    const id = this.#asked++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, args, cwd })
    })
  }
}

let warm: WarmSvcSim | undefined
/** One for all test files that share this module. */
function warmSvcSim(): WarmSvcSim {
  if (warm === undefined || warm.hasEnded) warm = new WarmSvcSim()
  return warm
}

/**
 * For commands with many seeds, beside which other tests keep the cores busy: each further worker only compiles the
 * program once more.
 */
export const oneJob: readonly string[] = process.env['SVC_TEST_LONG'] === '1' ? [] : ['--jobs', '1']

/** What `svc-sim run` prints about one of its scenarios: the lines of its seeds, and the summary. */
export interface Told {
  readonly seeds: readonly string[]
  readonly summary: string
  /** All of its lines, with the reasons of what failed. */
  readonly said: string
}

/**
 * Runs many scenarios in one process, which compiles the program once and not once for each. Each result is delivered
 * as soon as its scenario is over. The process ends with this file's tests.
 */
export function svcSimRun(files: readonly string[], flags: readonly string[]): readonly Promise<Told>[] {
  const args = [join(projectRoot, 'bin/svc-sim.js'), 'run', ...files, ...flags]
  const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] })
  afterAll(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let complaints = ''
  child.stderr.on('data', (bytes: Buffer) => {
    complaints += bytes.toString()
  })
  const next = async (): Promise<Told> => {
    const [seeds, said]: [string[], string[]] = [[], []]
    for (;;) {
      const line = await lines.next()
      if (line.done === true) throw new Error(`svc-sim ended before this scenario: ${complaints}`)
      said.push(line.value)
      if (line.value.startsWith('seed ')) seeds.push(line.value)
      if (!/: (all|\d+ of) \d+ seeds /.test(line.value)) continue
      return { seeds, summary: line.value, said: said.join('\n') }
    }
  }
  let before: Promise<unknown> = Promise.resolve()
  return files.map(() => {
    const told = before.then(next)
    before = told.catch(() => {})
    return told
  })
}

/** Writes a scenario into a directory that goes when the test is over, and gives its path. */
export function scenarioFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'test.yaml')
  writeFileSync(file, text)
  return file
}

/** The trace hash that a single run prints. */
export function traceHashOf(finished: Finished): string {
  const hash = /^ {2}trace ([0-9a-f]{64})$/m.exec(finished.out)?.[1]
  if (hash === undefined) throw new Error(`no trace hash in:\n${finished.out}${finished.err}`)
  return hash
}
