import type { Env } from '../../env/env.ts'

type Turns = Pick<Env, 'deferred' | 'timers'>

/** Settles after the callbacks that are already due have run, so that work for several callers starts once. */
export function nextTurn(env: Turns): Promise<undefined> {
  const { promise, resolve } = env.deferred<undefined>()
  env.timers.after(0, () => resolve(undefined))
  return promise
}

/**
 * Does long work in turns of the event loop, one up to each `yield`, so that heartbeats, probes and other requests get
 * in between. It serves work before a command is proposed, or beside the log. Code that applies a command never gives
 * way, because the state must not be seen in the middle of a command.
 */
export async function inTurns<T>(env: Turns, work: Generator<void, T, void>): Promise<T> {
  for (;;) {
    await nextTurn(env)
    const step = work.next()
    if (step.done === true) return step.value
  }
}
