import type { ScenarioRun } from '../scenario/run.ts'
import type { Platform } from '../world/platform.ts'

interface Wait {
  readonly isDone: () => boolean
  readonly untilUs: number
  readonly resolve: (isDone: boolean) => void
  readonly reject: (error: Error) => void
}

/** Lets one world of a process move at a time. */
export type Turnstile = <T>(act: () => Promise<T>) => Promise<T>

interface DriveParts {
  readonly run: ScenarioRun
  readonly platform: Platform
  readonly turnstile: Turnstile
  /** Why the run is over, if it is. */
  readonly failure: () => Error | undefined
}

/**
 * Lets the world of a run move while a test waits for something in it, up to the first wait that is done. The test goes on
 * before time does: what it asks in answer to an answer is asked at the same virtual moment, however busy the machine is.
 */
export class Drive {
  readonly #parts: DriveParts
  readonly #waits = new Set<Wait>()
  #moving = false

  constructor(parts: DriveParts) {
    this.#parts = parts
  }

  /** Resolves to whether it was done within this virtual time. Rejects when the run has failed. */
  until(isDone: () => boolean, withinMs: number): Promise<boolean> {
    const { run, platform } = this.#parts
    const { promise, resolve, reject } = platform.deferred<boolean>()
    const untilUs = run.simulation.nowUs + Math.ceil(withinMs * 1000)
    this.#waits.add({ isDone, untilUs, resolve, reject })
    if (!this.#moving) {
      this.#moving = true
      this.#move().catch((error: unknown) => this.#endAll(error as Error))
    }
    return promise
  }

  async #move(): Promise<void> {
    const { run, turnstile, failure } = this.#parts
    // What the caller asks in the same breath is waited for together.
    await this.#breathe()
    while (this.#waits.size > 0) {
      const firstUs = Math.min(...[...this.#waits].map(({ untilUs }) => untilUs))
      const spanMs = Math.max(0, firstUs - run.simulation.nowUs) / 1000
      await turnstile(() => run.passUntil(() => this.#isDue(), spanMs))
      const error = failure()
      if (error !== undefined) this.#endAll(error)
      this.#settle()
      await this.#breathe()
    }
    this.#moving = false
  }

  /** A round of Node's loop: every promise job that is ready runs. */
  #breathe(): Promise<void> {
    return this.#parts.platform.pump(() => false)
  }

  #isDue(): boolean {
    const { nowUs } = this.#parts.run.simulation
    for (const wait of this.#waits) if (wait.untilUs <= nowUs || wait.isDone()) return true
    return false
  }

  #settle(): void {
    const { nowUs } = this.#parts.run.simulation
    for (const wait of this.#waits) {
      const isDone = wait.isDone()
      if (!isDone && wait.untilUs > nowUs) continue
      this.#waits.delete(wait)
      wait.resolve(isDone)
    }
  }

  #endAll(error: Error): void {
    for (const { reject } of this.#waits) reject(error)
    this.#waits.clear()
  }
}
