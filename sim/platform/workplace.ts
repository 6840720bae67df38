import { spawn } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import type { ProgramEnd, RunOptions, Workplace } from '../bisect/workplace.ts'
import { beforeEnd, removeFolder, temporaryFolder } from './temporary-folders.ts'

/** Maximum number of characters of output that are kept: its end. */
const outMax = 16 << 20
const errorMax = 8_000

/** The machine's own folders and programs. */
export function createWorkplace(): Workplace {
  return {
    node: process.execPath,
    exists: existsSync,
    link: (target, path) => symlinkSync(target, path, 'junction'),
    folder: () => temporaryFolder('svc-sim-work-'),
    remove: removeFolder,
    run: runProgram,
  }
}

/** In a process group of its own: builds start further processes, which end with it. */
function runProgram(
  [program = '', ...args]: readonly string[],
  { folder, environment = {}, withinMs }: RunOptions,
): Promise<ProgramEnd> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  const ended = pid === undefined ? () => undefined : beforeEnd(() => killGroup(pid))
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
      ended()
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
