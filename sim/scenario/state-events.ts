import type { RunContext } from './run-context.ts'

/** What is otherwise at a node than it said last; undefined: nothing. `now`: all of it is looked at. */
export interface StateReader {
  changes(node: string, now: boolean): Readonly<Record<string, unknown>> | undefined
}

/** Tells readers of the trace what changes about nodes, as of the last event there. */
export class StateEvents {
  readonly #run: Pick<RunContext, 'simulation' | 'cluster'>
  readonly #reader: StateReader | undefined

  constructor(run: Pick<RunContext, 'simulation' | 'cluster'>, reader: StateReader | undefined) {
    this.#run = run
    this.#reader = reader
  }

  tell(): void {
    const { teller } = this.#run.simulation.trace
    if (teller === undefined || this.#reader === undefined) return
    for (const machine of teller.machines) {
      if (!this.#run.cluster.hasAgent(machine)) continue
      const changes = this.#reader.changes(machine, teller.hasLifeOf(machine))
      if (changes !== undefined) teller.changed(machine, changes)
    }
  }
}
