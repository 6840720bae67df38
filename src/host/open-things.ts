import type { Closable } from '../env/async.ts'

/** Open resources of one Env, so that closing the Env leaves nothing behind. */
export class OpenThings {
  readonly #open = new Set<Closable>()

  add(thing: Closable): void {
    this.#open.add(thing)
  }

  delete(thing: Closable): void {
    this.#open.delete(thing)
  }

  closeAll(): void {
    for (const thing of [...this.#open]) thing.close()
    this.#open.clear()
  }
}
