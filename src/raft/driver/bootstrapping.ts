import { invariant } from '../../base/invariant.ts'
import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { bootstrapped } from '../core/configuration.ts'
import type { Configuration, Recovered } from '../core/types.ts'
import { type DurableLog, logChange } from '../log/durable-log.ts'
import type { Turns } from './turns.ts'

export interface BootstrappingParts {
  readonly env: Pick<Env, 'deferred'>
  readonly log: DurableLog
  readonly turns: Turns
  /** Gives the server the state that a restart would find; events wait until it returns. */
  readonly restart: (recovered: Recovered) => void
}

/** Makes the first configuration of a cluster durable, and then lets the server begin with it. Events wait meanwhile. */
export class Bootstrapping {
  readonly #parts: BootstrappingParts
  #outcome: Deferred<boolean> | undefined

  constructor(parts: BootstrappingParts) {
    this.#parts = parts
  }

  /** For a server without any state. False if it stopped before the configuration was durable. */
  begin(configuration: Configuration): Promise<boolean> {
    const { env, log, turns } = this.#parts
    const recovered = bootstrapped(configuration)
    if (!recovered.ok) invariant(false, 'a cluster begins as one that can live', { why: recovered.error })
    const { hardState, entries } = recovered.value
    this.#outcome = env.deferred<boolean>()
    const { promise } = this.#outcome
    turns.pause()
    turns.run(() => log.write(logChange({ hardState, entries }), () => this.#durable(recovered.value)))
    return promise
  }

  stop(): void {
    this.#outcome?.resolve(false)
  }

  #durable(recovered: Recovered): void {
    const { turns, restart } = this.#parts
    if (turns.isOver) return
    restart(recovered)
    turns.resume({ kind: 'started' })
    this.#outcome?.resolve(true)
  }
}
