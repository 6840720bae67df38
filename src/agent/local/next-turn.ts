import type { Env } from '../../env/env.ts'

/** Settles after the callbacks that are already due have run, so that work for several callers starts once. */
export function nextTurn(env: Env): Promise<undefined> {
  const { promise, resolve } = env.deferred<undefined>()
  env.timers.after(0, () => resolve(undefined))
  return promise
}
