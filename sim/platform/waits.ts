import { promiseHooks } from 'node:v8'
import type { TurnState } from '../world/platform.ts'

/**
 * Reports what waits for promises. V8 makes a promise for each `then` and each `await`, and runs the continuation
 * between the hooks `before` and `after` of that promise. Returns a function that ends the reports.
 */
export function followWaits<Wait>(
  turn: TurnState,
  begin: () => Wait,
  continues: (wait: Wait | undefined) => void,
): () => void {
  const waits = new WeakMap<Promise<unknown>, Wait>()
  const stop = promiseHooks.createHook({
    init: (promise) => {
      if (turn.holder !== undefined) waits.set(promise, begin())
    },
    before: (promise) => continues(waits.get(promise)),
    after: () => continues(undefined),
  })
  return () => stop()
}
