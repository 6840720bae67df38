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

/** Why an agent that is in order must not go on all the same. Of `message` the log tells. */
export interface ForcedEnd {
  readonly kind: 'name-taken' | 'join-exhausted'
  readonly message: string
}

/** Why an agent must not go on: an error is a broken invariant or a failed disk. */
export type FatalSignal = OnceSignal<ForcedEnd | Error>
