import type { Env } from '../../env/env.ts'
import type { CallOptions } from './call.ts'

/** Ends a call that takes longer than `limitMs`: it returns as cancelled. */
export async function withinTime<T>(
  env: Pick<Env, 'timers'>,
  limitMs: number,
  ask: (until: Pick<CallOptions, 'onAbort'>) => Promise<T>,
): Promise<T> {
  let abort: (() => void) | undefined
  const timer = env.timers.after(limitMs, () => abort?.())
  try {
    return await ask({
      onAbort: (use) => {
        abort = use
      },
    })
  } finally {
    timer.close()
  }
}
