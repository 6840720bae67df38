import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
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
  /** A rule fires: what it does follows, action by action. Absent: not observed. */
  readonly onFiring?: ((firing: Fired) => void) | undefined
}

/** One firing of a rule. */
export interface Fired {
  /** Place of the rule among those of the page. */
  readonly rule: number
  /** Which event or turn of its clock it was, as `nth` counts. */
  readonly nth: number
  /** The server whose event it was. */
  readonly it: string | undefined
  /** How long after the event. */
  readonly afterMs: number
}

/** Maximum number of pending faults, which stops a trigger that fires in a tight loop. */
const pendingMax = 1000

/**
 * Triggers the faults of a scenario: at random times, at fixed times, and at events. A rule is known by what it says,
 * and a firing by its rule and what triggered it: the nth turn of its own clock, or the nth such event at one server.
 * So a rule or a firing less changes none of the others.
 */
export class FaultSchedule {
  readonly #world: ScheduleWorld
  readonly #faults: readonly Armed[]
  #pending = 0
  #stopped = false

  constructor(faults: readonly Fault[], world: ScheduleWorld) {
    this.#world = world
    const same = new Map<string, number>()
    this.#faults = faults.flatMap((fault, place) => {
      const text = ruleText(fault)
      const before = same.get(text) ?? 0
      same.set(text, before + 1)
      const rule = world.decisions.identity('fault', text, before)
      const choices = this.#choicesOf(fault, rule)
      if (choices === undefined) return []
      const told = world.decisions.tell(rule, () => `rule ${text}`)
      return [{ fault, place, rule, told, choices, seen: 0, seenAt: new Map<string, number>(), waiting: 0, fired: 0 }]
    })
  }

  start(): void {
    for (const armed of this.#faults) {
      const { at, every } = armed.fault
      if (at !== undefined) {
        const firing = this.#within(armed, 'at')
        this.#later(armed, drawRange(this.#draws(firing, 'time'), at), () => {
          if (this.#isChosen(armed.fault, firing)) this.#happen(armed, firing, 1, undefined, 0, 'at')
        })
      }
      if (every !== undefined) this.#again(armed, 1)
    }
  }

  /** No rule can fire any more, whatever happens. */
  get isSpent(): boolean {
    return this.#faults.every(({ fault: { at, every, nth, times, until }, fired, seen, waiting }) => {
      if (times !== undefined && fired >= times) return true
      if (until !== undefined && this.#world.nowMs() > until.max) return true
      if (at !== undefined) return waiting === 0
      const last = nth === undefined ? Number.POSITIVE_INFINITY : Math.max(...[nth].flat())
      return seen >= last && (every !== undefined || waiting === 0)
    })
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
    const { seen } = armed
    if (!isAmong(fault, seen)) return
    const firing = this.#within(armed, 'when', server, nth)
    if (!this.#isChosen(fault, firing)) return
    const delayMs = fault.after === undefined ? 0 : drawRange(this.#draws(firing, 'delay'), fault.after)
    // Always deferred: the code that reports the event has not finished its turn.
    this.#later(armed, delayMs, () =>
      this.#happen(armed, firing, seen, server, delayMs, `when at ${server}, occurrence ${nth}`),
    )
  }

  #again(armed: Armed, nth: number): void {
    const { fault } = armed
    if (fault.every === undefined) return
    const firing = this.#within(armed, 'every', nth)
    this.#later(armed, Math.max(1, drawRange(this.#draws(firing, 'time'), fault.every)), () => {
      armed.seen = nth
      this.#again(armed, nth + 1)
      if (!isAmong(fault, nth) || !this.#isChosen(fault, firing)) return
      this.#happen(armed, firing, nth, undefined, 0, `every, turn ${nth}`)
    })
  }

  #later(armed: Armed, delayMs: number, then: () => void): void {
    if (this.#pending >= pendingMax) return
    this.#pending++
    armed.waiting++
    this.#world.after(delayMs, () => {
      this.#pending--
      armed.waiting--
      if (!this.#stopped) then()
    })
  }

  #happen(armed: Armed, firing: Identity, nth: number, it: string | undefined, afterMs: number, text: string): void {
    const { fault, choices, told, place } = armed
    const nowMs = this.#world.nowMs()
    if (fault.from !== undefined && nowMs < fault.from.min) return
    if (fault.until !== undefined && nowMs > fault.until.max) return
    if (fault.times !== undefined && armed.fired >= fault.times) return
    if (!this.#world.decisions.happens(firing)) return
    armed.fired++
    this.#world.decisions.tell(firing, () => `firing: ${text}`, told)
    this.#world.onFiring?.({ rule: place, nth, it, afterMs })
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
   * A swarm: every run has some kinds of fault and lacks others, rather than a little of everything. What of `one of`
   * this seed has; undefined: it does not have the rule.
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

/**
 * What a rule says, by which it is known. What only takes firings away is no part of it: those that are left are the
 * ones that would have been without it, with their chance.
 */
function ruleText(fault: Fault): string {
  const { nth } = fault
  return JSON.stringify({ ...fault, times: undefined, nth: typeof nth === 'number' ? nth : undefined })
}

function isAmong({ nth }: Fault, seen: number): boolean {
  return nth === undefined || (typeof nth === 'number' ? seen === nth : nth.includes(seen))
}

interface Armed {
  readonly fault: Fault
  /** Among the rules of the page. */
  readonly place: number
  readonly rule: Identity
  /** Number of the event that tells readers of the trace of it. */
  readonly told: number
  /** The members of `one of` that this seed has. */
  readonly choices: readonly FaultAction[]
  /** How often the event, or the turn of its clock, was there. */
  seen: number
  /** Firings, and turns of its clock, that are to come. */
  waiting: number
  fired: number
  readonly seenAt: Map<string, number>
}
