import type { Decisions, Draws } from '../world/decisions/decisions.ts'
import type { Identity } from '../world/decisions/identity.ts'
import { drawRange } from './action-scope.ts'
import type { Fault, FaultAction, Trigger } from './fault-schema.ts'
import type { Deed } from './injector.ts'

/** What a schedule needs of the run. */
export interface ScheduleWorld {
  /** Milliseconds of true time since the start of the run. */
  readonly nowMs: () => number
  /** Calls `then` after this much true time, in a turn of its own. */
  readonly after: (delayMs: number, then: () => void) => void
  readonly decisions: Decisions
  /** `it` is the server that the fault is about. */
  readonly perform: (action: FaultAction, it: string | undefined, draw: Draws) => Deed
  readonly onDeed: (deed: Deed) => void
}

/** Maximum number of pending faults, which stops a trigger that fires in a tight loop. */
const pendingMax = 1000

/**
 * Triggers the faults of a scenario: at random times, at fixed times, and at events. A rule is known by what it says, and a
 * firing by its rule and what triggered it: the nth turn of its own clock, or the nth such event at one server. So a rule or
 * a firing less changes none of the others.
 */
export class FaultSchedule {
  readonly #world: ScheduleWorld
  readonly #faults: readonly Armed[]
  #pending = 0
  #stopped = false

  constructor(faults: readonly Fault[], world: ScheduleWorld) {
    this.#world = world
    const same = new Map<string, number>()
    this.#faults = faults.flatMap((fault) => {
      const text = JSON.stringify(fault)
      const before = same.get(text) ?? 0
      same.set(text, before + 1)
      const rule = world.decisions.identity('fault', text, before)
      const choices = this.#choicesOf(fault, rule)
      if (choices === undefined) return []
      const told = world.decisions.tell(rule, () => `rule ${text}`)
      return [{ fault, rule, told, choices, seen: 0, seenAt: new Map<string, number>() }]
    })
  }

  start(): void {
    for (const armed of this.#faults) {
      const { at, every } = armed.fault
      if (at !== undefined) {
        const firing = this.#within(armed, 'at')
        this.#later(drawRange(this.#draws(firing, 'time'), at), () => {
          if (this.#isChosen(armed.fault, firing)) this.#happen(armed, firing, undefined, 'at')
        })
      }
      if (every !== undefined) this.#again(armed, 1)
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
    const { fault, seenAt } = armed
    const nth = (seenAt.get(server) ?? 0) + 1
    seenAt.set(server, nth)
    armed.seen++
    if (fault.nth !== undefined && armed.seen !== fault.nth) return
    const firing = this.#within(armed, 'when', server, nth)
    if (!this.#isChosen(fault, firing)) return
    const delayMs = fault.after === undefined ? 0 : drawRange(this.#draws(firing, 'delay'), fault.after)
    // Always deferred: the code that reports the event has not finished its turn.
    this.#later(delayMs, () => this.#happen(armed, firing, server, `when at ${server}, occurrence ${nth}`))
  }

  #again(armed: Armed, nth: number): void {
    const { fault } = armed
    if (fault.every === undefined) return
    const firing = this.#within(armed, 'every', nth)
    this.#later(Math.max(1, drawRange(this.#draws(firing, 'time'), fault.every)), () => {
      this.#again(armed, nth + 1)
      if (this.#isChosen(fault, firing)) this.#happen(armed, firing, undefined, `every, turn ${nth}`)
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

  #happen({ fault, choices, told }: Armed, firing: Identity, it: string | undefined, text: string): void {
    const nowMs = this.#world.nowMs()
    if (fault.from !== undefined && nowMs < fault.from.min) return
    if (fault.until !== undefined && nowMs > fault.until.max) return
    if (!this.#world.decisions.happens(firing)) return
    this.#world.decisions.tell(firing, () => `firing: ${text}`, told)
    const chosen = this.#draws(firing, 'choice').oneOf(choices, (action) => JSON.stringify(action))
    const actions = [...(fault.do ?? []), ...(chosen === undefined ? [] : [chosen])]
    for (const [at, action] of actions.entries()) {
      const draws = this.#draws(firing, 'action', String(at))
      this.#world.onDeed(this.#world.perform(action, it, draws))
    }
  }

  #isChosen({ chance }: Fault, firing: Identity): boolean {
    return chance === undefined || this.#draws(firing, 'chance').chance(chance)
  }

  /**
   * A swarm: every run has some kinds of fault and lacks others, rather than a little of everything. What of `one of` this
   * seed has; undefined: it does not have the rule.
   */
  #choicesOf(fault: Fault, rule: Identity): readonly FaultAction[] | undefined {
    const all = fault['one of'] ?? []
    const { swarm } = fault
    if (swarm === undefined) return all
    const isLeftOut = (text: string): boolean => this.#draws(rule, 'swarm', text).chance(swarm)
    if (all.length === 0) return isLeftOut('') ? undefined : all
    const kept = all.filter((action) => !isLeftOut(JSON.stringify(action)))
    if (kept.length > 0) return kept
    const one = this.#draws(rule, 'swarm of one').oneOf(all, (action) => JSON.stringify(action))
    return one === undefined ? [] : [one]
  }

  #within({ rule }: Armed, ...parts: readonly (string | number)[]): Identity {
    return this.#world.decisions.within(rule, ...parts)
  }

  #draws(identity: Identity, ...parts: readonly string[]): Draws {
    return this.#world.decisions.drawsWithin(identity, ...parts)
  }
}

interface Armed {
  readonly fault: Fault
  readonly rule: Identity
  /** Number of the event that tells readers of the trace of it. */
  readonly told: number
  /** The members of `one of` that this seed has. */
  readonly choices: readonly FaultAction[]
  seen: number
  readonly seenAt: Map<string, number>
}
