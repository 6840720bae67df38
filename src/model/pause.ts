import type { Env } from '../env/env.ts'

/** Resolves when this much time has passed; nothing can shorten it. With 0 it yields to everything else that is due. */
export function pause(env: Pick<Env, 'deferred' | 'timers'>, forMs: number): Promise<void> {
  const over = env.deferred<void>()
  env.timers.after(forMs, () => over.resolve())
  return over.promise
}
