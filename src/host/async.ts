import type { Deferred } from '../env/async.ts'

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined
  let reject: (reason: Error) => void = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Answers of the world come in a turn of their own; this is for answers that Node returns, or throws, at once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** The longest delay that Node's timers accept; a longer one would fire at once. */
export const nodeDelayMsMax = 2 ** 31 - 1

/** A delay for Node's timers: whole milliseconds, never less than requested unless that is beyond 24 days. */
export function nodeDelay(delayMs: number): number {
  return Math.min(Math.max(0, Math.ceil(delayMs)), nodeDelayMsMax)
}
