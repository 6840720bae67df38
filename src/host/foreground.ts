import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { err, ok, type Result } from '../base/result.ts'
import type { SpawnFailure } from '../env/process.ts'
import type { ForegroundChild, ForegroundOptions } from '../env/terminal.ts'
import { Family } from './family.ts'
import { spawnFailure } from './processes.ts'
import { codeOf } from './system-error.ts'

/**
 * Starts a program that shares this process's output, and on request its input. `sharesTerminal`: whether a person at a
 * terminal may have to do with both.
 */
export function startChild(
  argv: readonly [string, ...string[]],
  { environment, input }: ForegroundOptions,
  sharesTerminal = input && hasTerminal(),
): Promise<Result<ForegroundChild, SpawnFailure>> {
  const [program, ...rest] = argv
  return new Promise((resolve) => {
    try {
      const child = spawn(program, rest, {
        // A process group of its own, so that processes which the program starts can be reached with it. For Node that
        // is a session of its own as well, without a terminal, from which the program might read, also a password.
        detached: !sharesTerminal,
        shell: false,
        stdio: [input ? 'inherit' : 'ignore', 'inherit', 'inherit'],
        env: { ...process.env, ...Object.fromEntries(environment) },
      })
      const ended = new Promise<number | string>((end) => {
        child.once('exit', (code, signal) => end(code ?? signal ?? 'unknown'))
      })
      child.once('error', (cause) => resolve(err(spawnFailure(program, cause))))
      child.once('spawn', () => resolve(ok(sharesTerminal ? inOurGroup(child, ended) : inItsGroup(child, ended))))
    } catch (cause) {
      setImmediate(() => resolve(err(spawnFailure(program, cause))))
    }
  })
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}

function inItsGroup({ pid = 0 }: ChildProcess, ended: Promise<number | string>): ForegroundChild {
  return {
    ended,
    signal: (signal) => sent(signal, codeOfKill(-pid, signal)),
    lives: () => codeOfKill(-pid, 0) !== 'ESRCH',
  }
}

/** What the program has started is known by its descent alone. */
function inOurGroup(child: ChildProcess, ended: Promise<number | string>): ForegroundChild {
  const family = new Family(child.pid ?? 0)
  // Of a child that has ended, the number may belong to another process by now.
  const living = (): readonly number[] => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    return [...(hasEnded ? [] : [child.pid ?? 0]), ...family.living(hasEnded)]
  }
  return {
    ended,
    signal: (signal) => {
      const codes = living().map((pid) => codeOfKill(pid, signal))
      return sent(
        signal,
        codes.find((code) => code !== undefined && code !== 'ESRCH'),
      )
    },
    lives: () => living().some((pid) => codeOfKill(pid, 0) !== 'ESRCH'),
  }
}

function sent(signal: string, code: string | undefined): Result<undefined, string> {
  return code === undefined || code === 'ESRCH' ? ok(undefined) : err(`${signal}: ${code}`)
}

/** Sends a signal; returns the code of the error if it could not be sent. Signal 0 only tries whether it could. */
function codeOfKill(to: number, signal: NodeJS.Signals | 0): string | undefined {
  try {
    process.kill(to, signal)
    return undefined
  } catch (cause) {
    const code = codeOf(cause)
    if (code === '') throw cause
    return code
  }
}
