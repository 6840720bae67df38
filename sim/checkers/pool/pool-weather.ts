/** The links of a run, when nothing is wrong with them. */
export interface NetworkFacts {
  /** Mean time that a ping and its answer take. */
  readonly rttMs: number
  /** The longest. */
  readonly rttMaxMs: number
  /** Chance that a datagram is lost. */
  readonly loss: number
}

/** A pool of agents, as it is informed about their processes. */
export interface ToldPool {
  died(node: string): void
  /** The process of this node stands still from now on. */
  fellAsleep(node: string): void
  woke(node: string): void
}

interface Sleep {
  readonly beganUs: number
  /** Undefined: it sleeps still. */
  endedUs: number | undefined
  /** When the one before it was over. */
  readonly wokeBeforeUs: number
}

const never = Number.NEGATIVE_INFINITY

/**
 * The conditions under which the members of a pool run, as the simulator knows them: since when nothing disturbs them,
 * which agents are paused, and which are down. Links and clocks are sampled; a disturbance shorter than a sample is
 * ignored, as the pool itself ignores it.
 */
export class PoolWeather {
  #troubledUs = never
  #movedUs = never
  readonly #sleeps = new Map<string, Sleep>()
  /** By node: the name in the pool of the process that runs there. */
  readonly #names = new Map<string, string>()
  /** By name in the pool: since when nobody runs under it. */
  readonly #downUs = new Map<string, number>()
  /** By name in the pool: the event by which that was so; empty where nobody reads the trace. */
  readonly #downIn = new Map<string, number>()

  /** `isTroubled`: some link is cut or slow, or some clock runs wrong. */
  look(nowUs: number, isTroubled: boolean): void {
    if (isTroubled) this.#troubledUs = nowUs
  }

  /** The process of this node stands still from now on. */
  fellAsleep(node: string, nowUs: number): void {
    const wokeBeforeUs = this.#sleeps.get(node)?.endedUs ?? never
    this.#sleeps.set(node, { beganUs: nowUs, endedUs: undefined, wokeBeforeUs })
  }

  woke(node: string, nowUs: number): void {
    const sleep = this.#sleeps.get(node)
    if (sleep !== undefined) sleep.endedUs ??= nowUs
  }

  /** A process on this node begins as a member of this name. */
  began(node: string, name: string, nowUs: number): void {
    this.#names.set(node, name)
    this.#downUs.delete(name)
    this.#movedUs = nowUs
  }

  /** `event`: in the trace; 0: nobody reads. */
  died(node: string, nowUs: number, event = 0): void {
    const name = this.#names.get(node)
    if (name === undefined) return
    this.#names.delete(node)
    this.#sleeps.delete(node)
    this.#movedUs = nowUs
    if ([...this.#names.values()].includes(name)) return
    this.#downUs.set(name, nowUs)
    if (event > 0) this.#downIn.set(name, event)
  }

  /** Since when nobody runs under this name; undefined: somebody does, or nobody ever has. */
  downSinceUs(name: string): number | undefined {
    return this.#downUs.get(name)
  }

  /** The event since which nobody has run under this name; 0: nobody reads the trace. */
  downIn(name: string): number {
    return this.#downIn.get(name) ?? 0
  }

  isAsleep(node: string): boolean {
    const sleep = this.#sleeps.get(node)
    return sleep !== undefined && sleep.endedUs === undefined
  }

  /** Since when this node's process goes on, after it stood still; long ago if it never has. */
  awakeSinceUs(node: string): number {
    return this.#sleeps.get(node)?.endedUs ?? never
  }

  /** Since when links and clocks are well, nobody sleeps, and nobody has come or gone; infinite: somebody sleeps. */
  get calmSinceUs(): number {
    let sinceUs = Math.max(this.#troubledUs, this.#movedUs)
    for (const { endedUs } of this.#sleeps.values()) sinceUs = Math.max(sinceUs, endedUs ?? Number.POSITIVE_INFINITY)
    return sinceUs
  }

  /**
   * The last sleep of this node, if while it lasted, and for `beforeUs` before, nothing else has disturbed the pool up
   * to this day.
   */
  onlySleep(node: string, beforeUs: number): Sleep | undefined {
    const own = this.#sleeps.get(node)
    if (own === undefined) return undefined
    const fromUs = own.beganUs - beforeUs
    if (own.wokeBeforeUs >= fromUs) return undefined
    if (this.#troubledUs >= fromUs || this.#movedUs >= fromUs) return undefined
    for (const [other, { endedUs }] of this.#sleeps)
      if (other !== node && (endedUs === undefined || endedUs >= fromUs)) return undefined
    return own
  }
}
