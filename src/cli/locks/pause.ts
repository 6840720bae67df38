import type { Env } from '../../env/env.ts'

export function pause(env: Pick<Env, 'deferred' | 'timers'>, ms: number): Promise<void> {
  const deferred = env.deferred<void>()
  env.timers.after(ms, () => deferred.resolve())
  return deferred.promise
}
