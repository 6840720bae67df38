import { emptyBytes, utf8 } from '../../src/base/bytes.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { ChildExit, ChildOptions, Processes, SpawnFailure } from '../../src/env/process.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from '../world/boot.ts'
import { microseconds } from '../world/time-range.ts'
import type { Machine } from './machine.ts'

type Run = Result<ChildExit, SpawnFailure>

/** Child processes as scripts: their behaviour is known when they start, and reported when they end. */
export class SimProcesses implements Processes {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  run(argv: readonly [string, ...string[]], options: ChildOptions): Promise<Run> {
    const { kernel, programs, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    const [name] = argv
    const program = programs.get(name)
    if (program === undefined) {
      const message = `no program of that name is on ${this.#boot.name}`
      return kernel.answer(this.#boot, 0, 'spawn', (): Run => err({ kind: 'not-found', program: name, message }))
    }
    const { environment = new Map<string, string>(), input = emptyBytes, timeoutMs, outputBytesMax } = options
    const run = program({ argv, environment, input })
    const timedOut = run.afterMs > timeoutMs
    const runUs = microseconds(Math.max(0, timedOut ? timeoutMs : run.afterMs))
    kernel.trace.addText(traceKinds.child, host.number, runUs, 0, 0, argv.join(' '))
    const all = typeof run.output === 'string' ? utf8(run.output) : (run.output ?? emptyBytes)
    // A program writes its output at its end: one that is killed has written none.
    const output = timedOut ? emptyBytes : all.slice(Math.max(0, all.length - outputBytesMax))
    const exit = timedOut ? 'SIGKILL' : run.exit
    let isKilled = false
    const end = kernel.answer(this.#boot, runUs, 'child ends', (): Run => {
      if (!timedOut && !isKilled && all.length > 0) options.onOutput?.(all)
      return ok({ exit, output, timedOut })
    })
    // Its reaction to a signal is not in its script: the first signal ends it.
    const signal = options.graceMs === undefined ? 'SIGKILL' : 'SIGTERM'
    const killed = options.until?.then((): Run => {
      isKilled = true
      return ok({ exit: signal, output: emptyBytes, timedOut: false })
    })
    return killed === undefined ? end : Promise.race([end, killed])
  }
}
