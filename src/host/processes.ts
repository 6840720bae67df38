import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { ChildExit, ChildOptions, Processes, SpawnFailure } from '../env/process.ts'
import { nodeDelay } from './async.ts'
import type { OpenThings } from './open-things.ts'
import { codeOf, messageOf } from './system-error.ts'
import { Tail } from './tail.ts'

/** How long the output is awaited after a program has ended, while a process that it started keeps the pipe open. */
const lingeringOutputMs = 500

export class HostProcesses implements Processes {
  readonly #open: OpenThings

  constructor(open: OpenThings) {
    this.#open = open
  }

  run(argv: readonly [string, ...string[]], options: ChildOptions): Promise<Result<ChildExit, SpawnFailure>> {
    return new Promise((resolve) => {
      const [program, ...rest] = argv
      try {
        const child = spawn(program, rest, {
          // A process group of its own, so that processes which the program starts can be ended with it.
          detached: true,
          shell: false,
          stdio: [options.input === undefined && options.tether !== true ? 'ignore' : 'pipe', 'pipe', 'pipe'],
          env: { ...process.env, ...Object.fromEntries(options.environment ?? []) },
        })
        this.#watch(child, program, options, resolve)
      } catch (cause) {
        // Arguments that no program can be started with, such as one with a zero byte.
        setImmediate(() => resolve(err(spawnFailure(program, cause))))
      }
    })
  }

  #watch(
    child: ChildProcess,
    program: string,
    options: ChildOptions,
    resolve: (end: Result<ChildExit, SpawnFailure>) => void,
  ): void {
    const output = new Tail(options.outputBytesMax)
    // Contrary to its types, Node creates no pipes if there are no free descriptors.
    const pipes = [child.stdout, child.stderr].filter((pipe): pipe is Readable => Boolean(pipe))
    for (const pipe of pipes) {
      pipe.on('data', (bytes: Uint8Array) => {
        output.push(bytes)
        options.onOutput?.(bytes)
      })
    }
    let timedOut = false
    let lingering: NodeJS.Timeout | undefined
    const guard = { close: () => killGroup(child) }
    this.#open.add(guard)
    const timeUp = (): void => {
      timedOut = true
      killGroup(child)
    }
    const timer = options.timeoutMs === Infinity ? undefined : setTimeout(timeUp, nodeDelay(options.timeoutMs))
    let grace: NodeJS.Timeout | undefined
    const unwanted = whenSettled(options.until, () => {
      if (options.graceMs === undefined) return killGroup(child)
      killGroup(child, 'SIGTERM')
      grace = setTimeout(() => killGroup(child), nodeDelay(options.graceMs))
    })
    const settle = (end: Result<ChildExit, SpawnFailure>): void => {
      unwanted.close()
      clearTimeout(timer)
      clearTimeout(grace)
      clearTimeout(lingering)
      this.#open.delete(guard)
      resolve(end)
    }
    // Not only once: each signal that may not be sent, such as to a program of another user, is an error as well.
    child.on('error', (cause) => settle(err(spawnFailure(program, cause))))
    child.once('exit', () => {
      lingering = setTimeout(() => {
        for (const pipe of pipes) pipe.destroy()
      }, lingeringOutputMs)
    })
    child.once('close', (code, signal) => {
      settle(ok({ exit: code ?? signal ?? 'unknown', output: output.bytes(), timedOut }))
    })
    // A program may end without reading its input.
    child.stdin?.on('error', () => undefined)
    if (options.input !== undefined) child.stdin?.end(options.input)
  }
}

/** By promise, what to do when it settles: a promise that is not settled keeps whatever waits for it. */
const waiting = new WeakMap<Promise<void>, Set<() => void>>()

/**
 * Calls `use` when the promise settles, unless it was closed before. One promise may be given to many programs, such as
 * one for the life of the agent: it must not keep each of them, with its input and output, after their end.
 */
function whenSettled(promise: Promise<void> | undefined, use: () => void): Closable {
  if (promise === undefined) return { close: () => undefined }
  const uses = waiting.get(promise) ?? usesOf(promise)
  uses.add(use)
  return { close: () => void uses.delete(use) }
}

/** Apart from its caller, whose variables the handler would keep otherwise. */
function usesOf(promise: Promise<void>): Set<() => void> {
  const uses = new Set<() => void>()
  waiting.set(promise, uses)
  void promise.finally(() => {
    for (const use of [...uses]) use()
  })
  return uses
}

function killGroup(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (cause) {
    // No process of the group is left.
    if (codeOf(cause) !== 'ESRCH') child.kill(signal)
  }
}

export function spawnFailure(program: string, cause: unknown): SpawnFailure {
  const code = codeOf(cause)
  const kind = code === 'ENOENT' ? 'not-found' : code === 'EACCES' || code === 'EPERM' ? 'permission' : 'io'
  return { kind, program, message: messageOf(cause) }
}
