/**
 * Why an agent could not start. Each failure is printed as one line and ends the process with exit code 1. `remedy`
 * says what to do about it.
 */
export interface StartFailure {
  readonly kind: 'address-in-use' | 'data-directory' | 'damaged-log' | 'old-format' | 'configuration' | 'io'
  readonly message: string
  readonly remedy: string
  /** The key of the configuration at fault, with dots, if there is one. */
  readonly key?: string
}

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

/** Why an agent that is in order must nevertheless end. The log has `message`. */
export interface ForcedEnd {
  readonly kind: 'name-taken' | 'join-exhausted' | 'other-names'
  readonly message: string
}

/** Why an agent must not go on: an error is a broken invariant or a failed disk. */
export type FatalSignal = OnceSignal<ForcedEnd | Error>

/** Callbacks that close what was opened, to be called in reverse order. */
export type Closing = (() => Promise<void> | void)[]

export async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.reverse()) await close()
  closing.length = 0
}
