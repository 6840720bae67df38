import type { Failure } from '../model/failure.ts'

/** A signal that fires once; a listener added later is called at once. */
export class OnceSignal<T> {
  #value: { readonly value: T } | undefined
  #listeners: ((value: T) => void)[] = []

  on(use: (value: T) => void): void {
    if (this.#value === undefined) this.#listeners.push(use)
    else use(this.#value.value)
  }

  raise(value: T): void {
    if (this.#value !== undefined) return
    this.#value = { value }
    for (const listener of this.#listeners) listener(value)
    this.#listeners = []
  }
}

/** Why an agent must not go on. */
export type FatalSignal = OnceSignal<Failure | Error>
