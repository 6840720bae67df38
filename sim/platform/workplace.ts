import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProgramEnd, RunOptions, Workplace } from '../bisect/workplace.ts'

/** Maximum number of characters of output that are kept: its end. */
const outMax = 16 << 20
const errorMax = 8_000
/** As a shell reports a signal: 128 plus its number. */
const exitOfSignal = { SIGINT: 130, SIGTERM: 143 } as const

/** The machine's own folders and programs. Handlers of signals are installed with the first folder. */
export function createWorkplace(): Workplace {
  const folders = new Set<string>()
  const children = new Set<number>()
  let isWatched = false
  const end = (): void => {
    for (const child of children) killGroup(child)
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    folders.clear()
  }
  const watch = (): void => {
    if (isWatched) return
    isWatched = true
    process.once('exit', end)
    for (const [signal, code] of Object.entries(exitOfSignal)) process.once(signal, () => process.exit(code))
  }
  return {
    node: process.execPath,
    exists: existsSync,
    link: (target, path) => symlinkSync(target, path, 'junction'),
    folder: () => {
      watch()
      const folder = mkdtempSync(join(tmpdir(), 'svc-sim-work-'))
      folders.add(folder)
      return folder
    },
    remove: (folder) => {
      rmSync(folder, { recursive: true, force: true })
      folders.delete(folder)
    },
    run: (argv, options) => {
      watch()
      return runProgram(argv, options, children)
    },
  }
}

/** In a process group of its own: builds start further processes, which end with it. */
function runProgram(
  [program = '', ...args]: readonly string[],
  { folder, environment = {}, withinMs }: RunOptions,
  children: Set<number>,
): Promise<ProgramEnd> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  if (pid !== undefined) children.add(pid)
  let [out, error] = ['', '']
  let isOverdue = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out = (out + text).slice(-outMax)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error = (error + text).slice(-errorMax)
  })
  const limit =
    withinMs === undefined || pid === undefined
      ? undefined
      : setTimeout(() => {
          isOverdue = true
          error = `${error}\nended by force after ${withinMs} ms`.slice(-errorMax)
          killGroup(pid)
        }, withinMs)
  return new Promise((resolve) => {
    child.on('error', (cause) => {
      clearTimeout(limit)
      resolve({ exit: undefined, isOverdue, out, error: cause.message })
    })
    child.on('close', (code) => {
      clearTimeout(limit)
      if (pid !== undefined) children.delete(pid)
      resolve({ exit: code ?? undefined, isOverdue, out, error })
    })
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (cause) {
    // It has ended by itself meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}
