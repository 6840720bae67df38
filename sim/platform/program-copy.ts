import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { MutationWorkshop } from '../mutation/build.ts'
import type { CopyEnd, CopyForm, ProgramCopy } from '../self-test/workshop.ts'
import { sourcePlaces } from './compiler.ts'
import { cpuTimePipe, cpuTimeVariable } from './cpu-time.ts'
import { type Modules, modulesOf } from './program-modules.ts'
import { exitOfSignal, removeFolder, temporaryFolder, withoutSignals } from './temporary-folders.ts'
import { startWorker } from './worker-process.ts'

/**
 * When a child counts as hanging. One seed takes seconds of CPU time; its wall-clock time depends on the machine's
 * other work, and is not judged.
 */
export interface ChildLimits {
  /** Maximum CPU time without a line of output, in milliseconds. */
  readonly cpuMs: number
  /** Within this wall-clock time it must use `leastMs` of CPU time or write a line; otherwise it counts as idle. */
  readonly idleMs: number
  readonly leastMs: number
}

export const usualLimits: ChildLimits = { cpuMs: 300_000, idleMs: 600_000, leastMs: 1_000 }
/** Maximum number of characters of standard error that are kept. */
const errorMax = 4000

/** The workshop of the program in the folder `root`. */
export function createWorkshop(root: string, limits: ChildLimits = usualLimits): MutationWorkshop {
  const modules = modulesOf(root)
  return {
    folder: resolve(root),
    read: modules.read,
    names: modules.names,
    sourcePlaces: (file) => sourcePlaces(join(root, 'dist', `${file}.map`)),
    source: (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined),
    copy: (replaced, form = 'whole') => copyOf(() => filled(root, modules, { replaced, form }), limits),
    scenario: (name) => join(root, 'scenarios', name),
  }
}

/** `make`: makes the copy, and returns its folder. */
function copyOf(make: () => string, limits: ChildLimits): ProgramCopy {
  const home = make()
  const script = join(home, 'bin/svc-sim.js')
  return {
    folder: home,
    startWorker: (stallCpuMs, environment) => startWorker({ script, stallCpuMs, environment }),
    run: (argv, onLine) => runChild([script, ...argv], limits, onLine),
    command: (argv, environment) => runInPlace([script, ...argv], environment),
    remove: () => removeFolder(home),
  }
}

interface Wanted {
  readonly replaced: ReadonlyMap<string, string>
  readonly form: CopyForm
}

/** A new folder with the program, without files for people and compilers; the packages that it needs are linked. */
function filled(root: string, modules: Modules, wanted: Wanted): string {
  const home = temporaryFolder('svc-self-test-')
  try {
    fill(home, root, modules, wanted)
    return home
  } catch (cause) {
    removeFolder(home)
    throw cause
  }
}

function fill(home: string, root: string, modules: Modules, { replaced, form }: Wanted): void {
  cpSync(join(root, 'bin'), join(home, 'bin'), { recursive: true })
  const dist = join(home, 'dist')
  if (form === 'linked' && modules.linkTo !== undefined) modules.linkTo(dist, [...replaced.keys()])
  else modules.copyTo(dist)
  for (const [file, text] of replaced) writeFileSync(join(dist, file), text)
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  writeFileSync(join(home, 'package.json'), manifest)
  linkPackages(root, home, Object.keys(JSON.parse(manifest).dependencies))
  // Files that its commands read besides modules: the page of a report, the shipped scenarios.
  for (const name of ['dist/pages', 'scenarios']) {
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(home, name), 'junction')
  }
}

/** A package may be beside this program or in any folder above, depending on where it was installed. */
function linkPackages(root: string, home: string, names: readonly string[]): void {
  for (const name of names) {
    let folder = root
    while (!existsSync(join(folder, 'node_modules', name))) {
      if (dirname(folder) === folder) throw new Error(`the package ${name} is not installed`)
      folder = dirname(folder)
    }
    const link = join(home, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(folder, 'node_modules', name), link, 'junction')
  }
}

/** Runs a script in a process of its own, and calls `onLine` with each line of its standard output. */
export function runChild(
  argv: readonly string[],
  limits: ChildLimits,
  onLine: (line: string) => void,
): Promise<CopyEnd> {
  const env = { ...process.env, [cpuTimeVariable]: '1' }
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env })
  const watch = new ProgressWatch(limits, () => child.kill('SIGKILL'))
  let error = ''
  createInterface({ input: child.stdout as Readable }).on('line', (line) => {
    watch.wrote()
    onLine(line)
  })
  createInterface({ input: child.stdio[cpuTimePipe] as Readable }).on('line', (line) => watch.used(Number(line)))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    error = (error + text).slice(-errorMax)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      watch.end()
      resolve({ exit: code ?? undefined, error })
    })
  })
}

/**
 * In place of this process: a person may watch it, so its time is not limited, and signals are for it. A terminal sends
 * SIGINT to both; SIGTERM is passed on.
 */
function runInPlace(
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const child = spawn(process.execPath, argv, { stdio: 'inherit', env: { ...process.env, ...environment } })
  const done = withoutSignals()
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGTERM', passOn)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('SIGTERM', passOn)
      done()
      resolve(code ?? (signal === null ? undefined : exitOfSignal[signal]))
    })
  })
}

/** Stops a child that uses CPU time without end, or none at all. */
class ProgressWatch {
  readonly #limits: ChildLimits
  readonly #stop: () => void
  #idle: NodeJS.Timeout
  /** CPU time that it has used. */
  #cpuMs = 0
  /** CPU time when it last wrote a line. */
  #cpuAtLineMs = 0
  /** CPU time when it was last seen to be busy. */
  #cpuBusyMs = 0

  constructor(limits: ChildLimits, stop: () => void) {
    this.#limits = limits
    this.#stop = stop
    this.#idle = setTimeout(stop, limits.idleMs)
  }

  wrote(): void {
    this.#cpuAtLineMs = this.#cpuMs
    this.#busy()
  }

  used(cpuMs: number): void {
    this.#cpuMs = cpuMs
    if (cpuMs - this.#cpuAtLineMs > this.#limits.cpuMs) this.#stop()
    if (cpuMs - this.#cpuBusyMs >= this.#limits.leastMs) this.#busy()
  }

  end(): void {
    clearTimeout(this.#idle)
  }

  #busy(): void {
    this.#cpuBusyMs = this.#cpuMs
    clearTimeout(this.#idle)
    this.#idle = setTimeout(this.#stop, this.#limits.idleMs)
  }
}
