import { err } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { Provided } from './provider.ts'

/** The result of a provider if it comes in time; a later one is ignored. */
export async function providedWithin<T>(
  env: Pick<Env, 'timers' | 'deferred' | 'detach'>,
  limitMs: number,
  asked: Provided<T>,
): Provided<T> {
  const first = env.deferred<Awaited<Provided<T>>>()
  const timer = env.timers.after(limitMs, () => {
    first.resolve(err({ kind: 'unavailable', message: 'the provider has not answered in time' }))
  })
  env.detach(asked.then((given) => first.resolve(given)))
  const given = await first.promise
  timer.close()
  return given
}
