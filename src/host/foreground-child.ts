import { type ChildProcess, spawn } from 'node:child_process'
import { err, ok, type Result } from '../base/result.ts'
import type { SpawnFailure } from '../env/process.ts'
import type { ForegroundChild, ForegroundOptions } from '../env/terminal.ts'
import { spawnFailure } from './processes.ts'
import { codeOf } from './system-error.ts'

/** Starts a program whose output, and if asked for input, are this process's own. */
export function startChild(
  argv: readonly [string, ...string[]],
  { environment, input }: ForegroundOptions,
): Promise<Result<ForegroundChild, SpawnFailure>> {
  const [program, ...rest] = argv
  return new Promise((resolve) => {
    try {
      const child = spawn(program, rest, {
        // A group of its own, so that what the program starts can be reached with it. One that reads the terminal must
        // stay in the group that has it.
        detached: !input,
        shell: false,
        stdio: [input ? 'inherit' : 'ignore', 'inherit', 'inherit'],
        env: { ...process.env, ...Object.fromEntries(environment) },
      })
      const ended = new Promise<number | string>((end) => {
        child.once('exit', (code, signal) => end(code ?? signal ?? 'unknown'))
      })
      child.once('error', (cause) => resolve(err(spawnFailure(program, cause))))
      child.once('spawn', () => resolve(ok({ ended, signal: (signal) => send(child, signal, !input) })))
    } catch (cause) {
      setImmediate(() => resolve(err(spawnFailure(program, cause))))
    }
  })
}

function send(child: ChildProcess, signal: NodeJS.Signals, group: boolean): void {
  if (child.pid === undefined) return
  try {
    process.kill(group ? -child.pid : child.pid, signal)
  } catch (cause) {
    // It has ended already.
    if (codeOf(cause) !== 'ESRCH') throw cause
  }
}
