import type { RandomStream } from '../../src/env/random.ts'
import { drawRange } from './action-scope.ts'
import type { Fault, FaultAction, Trigger } from './fault-schema.ts'
import type { Deed } from './injector.ts'

/** What a schedule needs of the run. */
export interface ScheduleWorld {
  /** Milliseconds of true time since the start of the run. */
  readonly nowMs: () => number
  /** Calls `then` after this much true time, in a turn of its own. */
  readonly after: (delayMs: number, then: () => void) => void
  readonly stream: (name: string) => RandomStream
  /** `it` is the server that the fault is about. */
  readonly perform: (action: FaultAction, it: string | undefined, draw: RandomStream) => Deed
  readonly onDeed: (deed: Deed) => void
}

/** Maximum number of pending faults, which stops a trigger that fires in a tight loop. */
const pendingMax = 1000

/** Triggers the faults of a scenario: at random times, at fixed times, and at events. */
export class FaultSchedule {
  readonly #world: ScheduleWorld
  readonly #faults: readonly Armed[]
  #pending = 0
  #stopped = false

  constructor(faults: readonly Fault[], world: ScheduleWorld) {
    this.#world = world
    this.#faults = faults.flatMap((fault, at) => {
      const draw = world.stream(`faults.${at + 1}`)
      const isLeftOut = fault.do !== undefined && fault.swarm !== undefined && draw.fraction() < fault.swarm
      return isLeftOut ? [] : [{ fault, draw, choices: choicesOf(fault, draw), seen: 0 }]
    })
  }

  start(): void {
    for (const armed of this.#faults) {
      const { fault, draw } = armed
      if (fault.at !== undefined) this.#later(drawRange(draw, fault.at), () => this.#happen(armed, undefined))
      if (fault.every !== undefined) this.#again(armed)
    }
  }

  /** No fault happens from now on. */
  stop(): void {
    this.#stopped = true
  }

  /** An event happened at this server. */
  triggered(trigger: Trigger, server: string): void {
    if (this.#stopped) return
    for (const armed of this.#faults) {
      if (armed.fault.when === trigger) this.#setOff(armed, server)
    }
  }

  #setOff(armed: Armed, server: string): void {
    const { fault, draw } = armed
    armed.seen++
    if (fault.nth !== undefined && armed.seen !== fault.nth) return
    if (fault.chance !== undefined && draw.fraction() >= fault.chance) return
    const delayMs = fault.after === undefined ? 0 : drawRange(draw, fault.after)
    // Always deferred: the code that reports the event has not finished its turn.
    this.#later(delayMs, () => this.#happen(armed, server))
  }

  #again(armed: Armed): void {
    const { fault, draw } = armed
    if (fault.every === undefined) return
    this.#later(Math.max(1, drawRange(draw, fault.every)), () => {
      this.#again(armed)
      if (fault.chance === undefined || draw.fraction() < fault.chance) this.#happen(armed, undefined)
    })
  }

  #later(delayMs: number, then: () => void): void {
    if (this.#pending >= pendingMax) return
    this.#pending++
    this.#world.after(delayMs, () => {
      this.#pending--
      if (!this.#stopped) then()
    })
  }

  #happen({ fault, draw, choices }: Armed, it: string | undefined): void {
    const nowMs = this.#world.nowMs()
    if (fault.from !== undefined && nowMs < fault.from.min) return
    if (fault.until !== undefined && nowMs > fault.until.max) return
    for (const action of fault.do ?? []) this.#world.onDeed(this.#world.perform(action, it, draw))
    if (choices.length === 0) return
    const action = choices[draw.below(choices.length)] as FaultAction
    this.#world.onDeed(this.#world.perform(action, it, draw))
  }
}

interface Armed {
  readonly fault: Fault
  readonly draw: RandomStream
  /** The members of `one of` that this seed has. */
  readonly choices: readonly FaultAction[]
  seen: number
}

/** A swarm: every run has some kinds of fault and lacks others, rather than a little of everything. */
function choicesOf(fault: Fault, draw: RandomStream): readonly FaultAction[] {
  const all = fault['one of'] ?? []
  const { swarm } = fault
  if (swarm === undefined || all.length === 0) return all
  const kept = all.filter(() => draw.fraction() >= swarm)
  return kept.length > 0 ? kept : [all[draw.below(all.length)] as FaultAction]
}
