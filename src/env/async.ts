/**
 * A promise and the functions that settle it. Agent code makes every promise that it settles by hand through
 * `Env.deferred` and none with `new Promise`: settling one tells the simulator that this turn touched asynchronous
 * code, whose continuations must run before the next event is delivered.
 */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason: Error): void
}

/** Something that goes on until it is closed. Closing twice is the same as closing once. */
export interface Closable {
  close(): void
}
