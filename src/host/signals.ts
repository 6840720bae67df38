import type { Closable } from '../env/async.ts'
import type { Signal } from '../env/terminal.ts'

/** Calls `use` at each signal of that kind, in place of what the signal would do to the process. */
export function onSignal(signal: Signal, use: () => void): Closable {
  const listener = (): void => use()
  process.on(signal, listener)
  return {
    close: () => {
      process.off(signal, listener)
    },
  }
}
