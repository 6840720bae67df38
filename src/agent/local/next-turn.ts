import type { Env } from '../../env/env.ts'

/** Settled when what comes at the same time has had its turn: work for many that is begun after it is begun once. */
export function nextTurn(env: Env): Promise<undefined> {
  const { promise, resolve } = env.deferred<undefined>()
  env.timers.after(0, () => resolve(undefined))
  return promise
}
