/**
 * Number of immediates in one round of Node's event loop. Between two of them Node runs every promise job, without
 * looking for input.
 */
const batch = 128

/**
 * Calls `step` with all promise jobs of the previous call done, until it returns false. Waiting for a whole round of
 * Node's event loop each time would take about a microsecond; between the immediates of one round, the same queues are
 * emptied for a fraction of that. The last call of each round is marked: after it, other work of the process may run,
 * and `pause` may return something to wait for.
 */
export function pump(
  step: (last: boolean) => boolean,
  immediate: typeof setImmediate,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let going = true
    const attempt = (last: boolean): void => {
      if (!going) return
      try {
        going = step(last)
      } catch (error) {
        going = false
        reject(error)
      }
    }
    const one = (): void => attempt(false)
    const lastOne = (): void => {
      attempt(true)
      const paused = pause()
      if (paused !== undefined) paused.then(goOn, reject)
      else goOn()
    }
    const goOn = (): void => {
      if (going) round()
      else resolve()
    }
    const round = (): void => {
      for (let i = 1; i < batch; i++) immediate(one)
      immediate(lastOne)
    }
    round()
  })
}
