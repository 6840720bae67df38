import type { Closable } from '../../env/async.ts'
import { isNewMode, migrationOf } from '../../features/acl/views.ts'
import type { ReadTransaction } from '../../store/types.ts'

interface WatchedState {
  read(): ReadTransaction
  watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
}

/**
 * Whether a datacenter is migrating from legacy tokens to the new ones. The migration ends once, for good: when the
 * datacenter is in the new mode, and the primary datacenter has given every token an accessor.
 */
export class Migrating {
  readonly #state: WatchedState
  readonly #isPrimary: boolean
  #watching: Closable | undefined
  #isOver = false

  constructor(state: WatchedState, isPrimary: boolean) {
    this.#state = state
    this.#isPrimary = isPrimary
    this.#follow()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  stop(): void {
    this.#watching?.close()
  }

  #follow(): void {
    this.#isOver = this.#looksOver(this.#state.read())
    this.#watching = this.#isOver
      ? undefined
      : this.#state.watch(
          (tx) => this.#looksOver(tx),
          () => this.#follow(),
        )
  }

  #looksOver(tx: ReadTransaction): boolean {
    const completeIndex = migrationOf(tx)?.completeIndex ?? 0
    return isNewMode(tx) && (!this.#isPrimary || completeIndex > 0)
  }
}
