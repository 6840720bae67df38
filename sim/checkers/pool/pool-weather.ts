/** The links of a run while nothing disturbs them. */
export interface NetworkFacts {
  /** Mean round-trip time of a ping. */
  readonly rttMs: number
  /** Longest round-trip time of a ping. */
  readonly rttMaxMs: number
  /** Chance that a datagram is lost. */
  readonly loss: number
}

/** What members can expect of disks. */
export interface DiskFacts {
  /** Longest time of a sync. */
  readonly syncMaxMs: number
}

/** A pool of agents, which is told about their processes. */
export interface ToldPool {
  died(node: string): void
  /** The process of this node is paused from now on. */
  fellAsleep(node: string): void
  woke(node: string): void
}

interface Sleep {
  readonly beganUs: number
  /** Undefined: it still sleeps. */
  endedUs: number | undefined
  /** When the previous sleep ended. */
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
  /** By node, the name in the pool of the process that runs there. */
  readonly #names = new Map<string, string>()
  /** By name in the pool, since when no process runs under it. */
  readonly #downUs = new Map<string, number>()
  /** By name in the pool, the trace event since which no process runs under it; empty if no trace is recorded. */
  readonly #downIn = new Map<string, number>()

  /** `isTroubled`: some link is cut or slow, or some clock is wrong. */
  look(nowUs: number, isTroubled: boolean): void {
    if (isTroubled) this.#troubledUs = nowUs
  }

  /** The process of this node is paused from now on. */
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

  /** `event`: in the trace; 0: no trace is recorded. */
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

  /** Since when no process runs under this name; undefined: one runs, or none ever has. */
  downSinceUs(name: string): number | undefined {
    return this.#downUs.get(name)
  }

  /** The event since which no process has run under this name; 0: no trace is recorded. */
  downIn(name: string): number {
    return this.#downIn.get(name) ?? 0
  }

  isAsleep(node: string): boolean {
    const sleep = this.#sleeps.get(node)
    return sleep !== undefined && sleep.endedUs === undefined
  }

  /** Since when this node's process runs after its last pause; long ago if it was never paused. */
  awakeSinceUs(node: string): number {
    return this.#sleeps.get(node)?.endedUs ?? never
  }

  /**
   * Since when links and clocks are undisturbed, no process sleeps, and none has begun or ended; infinite: one sleeps.
   */
  get calmSinceUs(): number {
    let sinceUs = Math.max(this.#troubledUs, this.#movedUs)
    for (const { endedUs } of this.#sleeps.values()) sinceUs = Math.max(sinceUs, endedUs ?? Number.POSITIVE_INFINITY)
    return sinceUs
  }

  /** The last sleep of this node, if nothing else has disturbed the pool from `beforeUs` before it until now. */
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
