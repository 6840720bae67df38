import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import { hasCaughtUp } from '../core/catch-up.ts'
import type { RaftCore } from '../core/state.ts'

/** Remembers that a server that started has caught up: once it has, it has for good. */
export class CatchingUp {
  readonly #over: Deferred<void>
  #isOver = false

  constructor(env: Pick<Env, 'deferred'>) {
    this.#over = env.deferred<void>()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  look(raft: RaftCore, applied: LogIndex): void {
    if (this.#isOver || !hasCaughtUp(raft, applied)) return
    this.#isOver = true
    this.#over.resolve()
  }
}
