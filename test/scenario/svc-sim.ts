import { execFile, spawn } from 'node:child_process'
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

/** Runs the built `svc-sim` in a process of its own, to its end. */
export function svcSim(args: readonly string[], options: SvcSimOptions = {}): Promise<Finished> {
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
