import type { ScenarioRun } from '../scenario/run.ts'
import type { Platform } from '../world/platform.ts'

interface Wait {
  readonly isDone: () => boolean
  readonly untilUs: number
  readonly resolve: (isDone: boolean) => void
  readonly reject: (error: Error) => void
  /** The result of `isDone` once it was not false; it is not called again. */
  said?: true | { readonly threw: Error }
}

/** Lets one world of a process advance at a time. */
export type Turnstile = <T>(act: () => Promise<T>) => Promise<T>

interface DriveParts {
  readonly run: ScenarioRun
  readonly platform: Platform
  readonly turnstile: Turnstile
  /** Why the run is over, if it is. */
  readonly failure: () => Error | undefined
}

/**
 * Lets the world of a run advance while a test waits for something in it, up to the first wait that is done. The test
 * continues before time does: a request in reaction to an answer is made at the same virtual moment, however busy the
 * machine is.
 */
export class Drive {
  readonly #parts: DriveParts
  readonly #waits = new Set<Wait>()
  #moving = false
  /** Number of acts that wait for the world to stand still. */
  #asides = 0

  constructor(parts: DriveParts) {
    this.#parts = parts
  }

  /** Resolves to whether it was done within this virtual time. Rejects if the run has failed. */
  until(isDone: () => boolean, withinMs: number): Promise<boolean> {
    const { run, platform } = this.#parts
    const { promise, resolve, reject } = platform.deferred<boolean>()
    const untilUs = run.simulation.nowUs + Math.ceil(withinMs * 1000)
    this.#waits.add({ isDone, untilUs, resolve, reject })
    if (!this.#moving) {
      this.#moving = true
      void this.#move()
    }
    return promise
  }

  /**
   * Performs an act that lets time pass by itself: the world is halted for it, whatever is waited for, and the waits go on
   * afterwards.
   */
  aside<T>(act: () => Promise<T>): Promise<T> {
    this.#asides++
    return this.#parts.turnstile(() => {
      this.#asides--
      return act()
    })
  }

  /** The world has come to its end: waits that are not done by now reject with this. */
  end(why: Error): void {
    this.#settle()
    this.#endAll(why)
  }

  async #move(): Promise<void> {
    try {
      await this.#moveOn()
    } catch (error) {
      this.#endAll(error as Error)
    } finally {
      // Before any other promise job after the last check of the waits: the next wait starts the world anew.
      this.#moving = false
    }
  }

  async #moveOn(): Promise<void> {
    const { turnstile, failure } = this.#parts
    // Requests that the caller makes in the same round are waited for together.
    await this.#breathe()
    while (this.#waits.size > 0) {
      await turnstile(() => this.#passToFirst())
      const error = failure()
      if (error !== undefined) this.#endAll(error)
      this.#settle()
      await this.#breathe()
    }
  }

  /** Before its turn came, an act may have let time pass, or ended every wait. */
  async #passToFirst(): Promise<void> {
    const { run } = this.#parts
    if (this.#waits.size === 0) return
    const firstUs = Math.min(...[...this.#waits].map(({ untilUs }) => untilUs))
    const spanMs = Math.max(0, firstUs - run.simulation.nowUs) / 1000
    await run.passUntil(() => this.#isDue(), spanMs)
  }

  /** One round of Node's event loop, in which every ready promise job runs. */
  #breathe(): Promise<void> {
    return this.#parts.platform.pump(() => false)
  }

  #isDue(): boolean {
    if (this.#asides > 0) return true
    const { nowUs } = this.#parts.run.simulation
    for (const wait of this.#waits) if (wait.untilUs <= nowUs || hasSaid(wait)) return true
    return false
  }

  #settle(): void {
    const { nowUs } = this.#parts.run.simulation
    for (const wait of this.#waits) {
      const { resolve, reject } = wait
      if (!hasSaid(wait) && wait.untilUs > nowUs) continue
      this.#waits.delete(wait)
      if (typeof wait.said === 'object') reject(wait.said.threw)
      else resolve(wait.said === true)
    }
  }

  #endAll(error: Error): void {
    for (const { reject } of this.#waits) reject(error)
    this.#waits.clear()
  }
}

/**
 * Whether a wait is over. An exception of a test's condition is passed to that test: the world continues for everything
 * else.
 */
function hasSaid(wait: Wait): boolean {
  if (wait.said !== undefined) return true
  try {
    const said: unknown = wait.isDone()
    if (isPromise(said)) throw new TypeError('c.until: the condition gave a promise: it must not be an async function')
    if (said) wait.said = true
  } catch (error) {
    wait.said = { threw: error instanceof Error ? error : new Error(String(error)) }
  }
  return wait.said !== undefined
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value
}
