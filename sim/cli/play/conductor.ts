import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { DoneAct, GivenAct } from '../../play/acts-done.ts'
import type { PlayStep, PlayUndo } from '../../play/play-api.ts'
import type { Session } from '../../play/session.ts'
import type { Told } from '../../scenario/played/acts.ts'
import { Pace } from '../serve/pace.ts'

interface ConductorParts {
  readonly session: Session
  readonly host: Pick<Env, 'deferred' | 'timers'>
  readonly wallMs: () => number
  readonly rate: number
  readonly paused: boolean
  /** The world was replaced: requests to the previous one will not be answered. */
  readonly onGoneBack: () => void
}

/** The request and its answer; `told` is undefined if there was no answer within the virtual minute. */
export interface Asked {
  readonly act: DoneAct
  readonly number: number
  readonly told: Told | undefined
  readonly tookUs: number
}

/** A request that waits for an answer while time would stand still. */
interface Press {
  readonly untilUs: number
  readonly isDone: () => boolean
  readonly end: () => void
}

/** A jump of time, up to a span: by a number of events, or until a request is answered. */
interface Jump {
  readonly ended?: () => void
  readonly isAnswered?: () => boolean
  readonly events?: number | undefined
}

/** Pause before virtual time is looked at again, in milliseconds, so that other processes can run. */
const idleMs = 2
/** Virtual time after which the caller is told that the answer has not come yet. */
const askedWithinMs = 61_000
/** A step by events is stopped after this much virtual time without an event. */
const stepWithinMs = 3_600_000

/** Lets the time of a session pass, and performs requests between the turns of its world. */
export class Conductor {
  readonly #parts: ConductorParts
  readonly #session: Session
  readonly #pace: Pace
  readonly #queue: (() => void | Promise<void>)[] = []
  readonly #presses = new Set<Press>()
  #rate: number
  #paused: boolean
  #advancingToUs: number | undefined
  /** The present jump of time: up to this number of events, or until it is not needed any more. */
  #step: { readonly events: number; isOver: boolean } | undefined

  constructor(parts: ConductorParts) {
    const { session, rate, paused, wallMs } = parts
    this.#parts = parts
    this.#session = session
    this.#rate = rate
    this.#paused = paused
    const cluster = {
      get nowMs() {
        return session.world.nowUs / 1000
      },
      pass: (ms: number) => this.#pass(ms),
    }
    this.#pace = new Pace({ cluster, rate: paused ? 0 : rate, wallMs, idle: () => this.#idle() })
  }

  get pace(): { readonly paused: boolean; readonly rate: number; readonly advancingToUs: number | undefined } {
    return { paused: this.#paused, rate: this.#rate, advancingToUs: this.#advancingToUs }
  }

  /** Runs until `stop`. Rejects when a rebuilt world differs from the previous one, or this program has an error. */
  run(): Promise<void> {
    return this.#pace.run()
  }

  stop(): void {
    this.#pace.stop()
  }

  setPace({
    paused = this.#paused,
    rate = this.#rate,
  }: {
    readonly paused?: boolean | undefined
    readonly rate?: number | undefined
  }): void {
    this.#paused = paused
    this.#rate = rate
    if (this.#step !== undefined) this.#step.isOver = true
    this.#pace.setRate(paused ? 0 : rate)
  }

  /** Calls `act` between two turns. An error of `act` ends the session, and this promise then never settles. */
  between<T>(act: () => T | Promise<T>): Promise<T> {
    const { promise, resolve } = this.#parts.host.deferred<T>()
    this.#queue.push(async () => resolve(await act()))
    return promise
  }

  /** Performs one act now. */
  act(given: GivenAct): Promise<Result<{ readonly act: DoneAct; readonly number: number }, string>> {
    return this.between(() => {
      const done = this.#session.act(given)
      return done.ok ? ok({ act: done.value, number: this.#session.acts.length }) : done
    })
  }

  /** Performs an act and waits for its answer; if time stands still, it passes until the answer has come. */
  async ask(given: GivenAct): Promise<Result<Asked, string>> {
    const { promise, resolve } = this.#parts.host.deferred<Told | undefined>()
    const begun = await this.between(() => {
      let told: Told | undefined
      const fromUs = this.#session.world.nowUs
      const done = this.#session.act(given, (what) => {
        told = what
        resolve(what)
      })
      if (!done.ok) return done
      const untilUs = fromUs + askedWithinMs * 1000
      this.#presses.add({ untilUs, isDone: () => told !== undefined, end: () => resolve(told) })
      return ok({ act: done.value, number: this.#session.acts.length, fromUs })
    })
    if (!begun.ok) return begun
    const told = await promise
    return ok({ ...begun.value, told, tookUs: this.#session.world.nowUs - begun.value.fromUs })
  }

  /** Lets this much happen, and then stops time; returns why it does not, if it does not. */
  async step(step: PlayStep): Promise<Result<undefined, string>> {
    const { promise, resolve } = this.#parts.host.deferred<undefined>()
    const isBegun = await this.between(() => {
      const { nowUs } = this.#session.world
      if (this.#step !== undefined || ('toUs' in step && step.toUs <= nowUs)) return false
      this.setPace({ paused: true })
      const events = 'events' in step ? this.#session.events + step.events : undefined
      const ms = 'events' in step ? stepWithinMs : 'ms' in step ? step.ms : (step.toUs - nowUs) / 1000
      return this.#jump(ms, { ended: () => resolve(undefined), events })
    })
    if (!isBegun) return err('that time is past, or another step is under way')
    await promise
    const failure = this.#session.failure()
    return failure === undefined ? ok(undefined) : err(failure.text)
  }

  /** Builds the world again as it was before. Time then stands still. */
  undo(undo: PlayUndo): Promise<Result<undefined, string>> {
    return this.between(async () => {
      const before = this.#session.before(undo)
      if (!before.ok) return before
      this.setPace({ paused: true })
      for (const press of this.#presses) press.end()
      this.#presses.clear()
      this.#parts.onGoneBack()
      await this.#session.goBack(before.value)
      this.setPace({})
      return ok(undefined)
    })
  }

  /**
   * Performs a request, and passes its answer, or the reason why there is no answer, to `take`. If time stands still, a
   * brief request lets it pass until its answer has come. Any other request waits until time goes on.
   */
  bridge(given: GivenAct, isBrief: boolean, take: (told: Told | string) => void): void {
    this.#queue.push(() => {
      let isDone = false
      const untilUs = this.#session.world.nowUs + askedWithinMs * 1000
      const done = this.#session.act(given, (told) => {
        isDone = true
        take(told)
      })
      if (!done.ok) take(done.error)
      else if (isBrief) this.#presses.add({ untilUs, isDone: () => isDone, end: () => undefined })
    })
  }

  async #pass(ms: number): Promise<void> {
    // A waiting act comes first, at the very moment at which time stands.
    if (this.#queue.length > 0 || this.#isDone()) return
    await this.#session.pass(ms, () => this.#queue.length > 0 || this.#isDone())
  }

  /** Whether time must not pass further. */
  #isDone(): boolean {
    return this.#step !== undefined && (this.#step.isOver || this.#session.events >= this.#step.events)
  }

  async #idle(): Promise<void> {
    if (this.#queue.length === 0) {
      const { promise, resolve } = this.#parts.host.deferred<undefined>()
      this.#parts.host.timers.after(idleMs, () => resolve(undefined))
      await promise
    }
    for (const act of this.#queue.splice(0)) await act()
    this.#endPresses()
    if (this.#paused && this.#presses.size > 0 && this.#step === undefined) this.#pressOn()
  }

  #endPresses(): void {
    for (const press of this.#presses) {
      const isOver = this.#session.world.nowUs >= press.untilUs || this.#session.failure() !== undefined
      if (!press.isDone() && !isOver) continue
      this.#presses.delete(press)
      press.end()
    }
  }

  /** Lets time pass until every request is answered. */
  #pressOn(): void {
    const isWanted = (): boolean => [...this.#presses].some(({ isDone }) => !isDone())
    if (isWanted()) this.#jump(askedWithinMs, { isAnswered: () => !isWanted() })
  }

  #jump(ms: number, { ended, isAnswered, events = Number.POSITIVE_INFINITY }: Jump): boolean {
    const step = { events, isOver: false }
    const isOver = (): boolean =>
      step.isOver || this.#session.events >= events || isAnswered?.() === true || this.#session.failure() !== undefined
    const isBegun = this.#pace.jump(ms, isOver, () => {
      this.#step = undefined
      this.#advancingToUs = undefined
      ended?.()
    })
    if (!isBegun) return false
    this.#step = step
    this.#advancingToUs = this.#session.world.nowUs + Math.ceil(ms * 1000)
    return true
  }
}
