import type { Env } from '../../src/env/env.ts'
import type { Invariants } from '../checkers/invariants.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { AskedAgent } from './asked-agents.ts'
import { LockClient } from './lock-client.ts'

/** What contenders do, every default applied. */
export interface LockPlan {
  readonly name: string
  readonly contenders: number
  readonly locks: number
  readonly ttlMs: number
  readonly lockDelayMs: number
  /** How long a lock is kept, drawn each time. */
  readonly holdMs: { readonly min: number; readonly max: number }
  /** The chance that a holder falls asleep with its lock, until its session has long ended. */
  readonly sleepChance: number
  readonly timeoutMs: number
}

export interface LockWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  readonly invariants: Invariants
}

const pauseMs = { min: 200, max: 1_500 }
/** A holder that sleeps does so for this many times its session's time to live. */
const sleepFactor = 3

/**
 * Contenders for a few locks, each with a session of its own that it renews three times in its time to live. The holder
 * of a lock writes to what the lock guards, with its fencing number, and releases the lock again; some holders are
 * paused with it and write when they wake, when others have held the lock since.
 */
export class LockContenders {
  readonly #env: Env
  readonly #plan: LockPlan
  readonly #world: LockWorld
  readonly #client: LockClient
  readonly #contenders: readonly Contender[]
  /** What the locks guard: the greatest fencing number that each has seen. */
  readonly #guarded = new Map<string, number>()
  #running = false
  #lateWrites = 0
  /** Contenders that are about to write to the cluster, or hold a lock and will. */
  #busy = 0

  constructor(env: Env, plan: LockPlan, world: LockWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new LockClient(env, plan.timeoutMs)
    this.#contenders = Array.from({ length: plan.contenders }, (_, number) => ({ number, decided: 0, renewals: 0 }))
  }

  /** Writes of holders that were none any more, refused by what the lock guards. */
  get lateWrites(): number {
    return this.#lateWrites
  }

  /**
   * What is not done yet: after `stop` every holder gives up its lock, in its own time. Sleepers write nothing to the
   * cluster.
   */
  openRequests(): readonly string[] {
    return this.#busy === 0 ? [] : [`${this.#busy} of ${this.#plan.name} at locks`]
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    for (const contender of this.#contenders) this.#env.detach(this.#contend(contender))
  }

  stop(): void {
    this.#running = false
  }

  async #contend(contender: Contender): Promise<void> {
    while (this.#running) {
      await this.#pause(this.#draws(contender), pauseMs)
      if (!this.#running) return
      const session = await this.#busily(() => this.#create(contender))
      if (session !== undefined) await this.#live(contender, session)
    }
  }

  async #busily<T>(act: () => Promise<T>): Promise<T> {
    this.#busy++
    const result = await act()
    this.#busy--
    return result
  }

  async #create(contender: Contender): Promise<string | undefined> {
    const agent = this.#agent(this.#draws(contender))
    if (agent === undefined) return undefined
    const { ttlMs, lockDelayMs } = this.#plan
    return this.#client.create(agent.endpoint, {
      Node: agent.name,
      TTL: `${ttlMs}ms`,
      LockDelay: `${lockDelayMs}ms`,
      Checks: ['serfHealth'],
    })
  }

  /** One session, from its creation until it is given up or has ended. */
  async #live(contender: Contender, session: string): Promise<void> {
    const life: Life = { contender, session, over: false, asleep: false }
    this.#env.detach(this.#keepAlive(life))
    while (this.#running && !life.over) {
      await this.#pause(this.#draws(contender), pauseMs)
      if (this.#running) await this.#busily(() => this.#turn(life))
    }
    life.over = true
  }

  async #turn(life: Life): Promise<void> {
    const draws = this.#draws(life.contender)
    const agent = this.#agent(draws)
    if (agent === undefined) return
    const { name, locks } = this.#plan
    const key = `${name.replaceAll(' ', '-')}/lock-${draws.below(locks)}`
    const answer = await this.#client.acquire(agent.endpoint, key, life.session, this.#value(life.contender))
    if (answer.kind === 'no-session') life.over = true
    if (answer.kind !== 'held') return
    this.#world.invariants.tell('lock answered', { key, session: life.session, fence: answer.fence })
    await this.#hold(life, key, answer.fence)
  }

  async #hold(life: Life, key: string, fence: number): Promise<void> {
    this.#write(key, fence)
    const draws = this.#draws(life.contender)
    if (draws.chance(this.#plan.sleepChance)) {
      life.asleep = true
      this.#busy--
      await this.#pause(draws, { min: sleepFactor * this.#plan.ttlMs, max: sleepFactor * this.#plan.ttlMs })
      this.#busy++
      this.#write(key, fence)
      life.over = true
      return
    }
    await this.#pause(draws, this.#plan.holdMs)
    this.#write(key, fence)
    const agent = this.#agent(draws)
    if (agent === undefined) return
    // One in four tells in the key itself how it goes.
    if (draws.below(4) === 0) await this.#client.write(agent.endpoint, key, this.#value(life.contender))
    // One in five ends its session instead, as a program that is stopped does.
    if (draws.below(5) > 0) await this.#client.release(agent.endpoint, key, life.session, this.#value(life.contender))
    else {
      life.over = true
      await this.#client.destroy(agent.endpoint, life.session)
    }
  }

  /** What the lock guards takes the writes of its holders in their order, and refuses those of earlier ones. */
  #write(key: string, fence: number): void {
    const greatest = this.#guarded.get(key) ?? 0
    if (fence < greatest) this.#lateWrites++
    else this.#guarded.set(key, fence)
  }

  async #keepAlive(life: Life): Promise<void> {
    const everyMs = this.#plan.ttlMs / 3
    const { contender } = life
    for (;;) {
      const draws = this.#world.decisions.draws('renewals', this.#plan.name, contender.number, ++contender.renewals)
      await this.#pause(draws, { min: everyMs * 0.8, max: everyMs * 1.2 })
      if (!this.#running || life.over || life.asleep) return
      const agent = this.#agent(draws)
      if (agent === undefined) continue
      const calledUs = this.#world.nowUs()
      const renewed = await this.#client.renew(agent.endpoint, life.session)
      const id = life.session
      const answeredUs = this.#world.nowUs()
      if (renewed === true) this.#world.invariants.tell('session renewed', { id, calledUs, answeredUs })
      else if (renewed === undefined) this.#world.invariants.tell('renewal attempted', { id, untilUs: answeredUs })
      else life.over = true
    }
  }

  /** For what a contender does next. */
  #draws(contender: Contender): Draws {
    return this.#world.decisions.draws('locks', this.#plan.name, contender.number, ++contender.decided)
  }

  #agent(draws: Draws): AskedAgent | undefined {
    return this.#world.agent(draws)
  }

  #pause(draws: Draws, { min, max }: { readonly min: number; readonly max: number }): Promise<void> {
    const deferred = this.#env.deferred<void>()
    this.#env.timers.after(min + draws.fraction() * (max - min), () => deferred.resolve())
    return deferred.promise
  }

  #value({ number, decided }: Contender): string {
    return `${this.#plan.name}-held-${number + 1}.${decided}`
  }
}

/** What a contender draws is its own, and does not depend on how often others came. */
interface Contender {
  readonly number: number
  decided: number
  renewals: number
}

interface Life {
  readonly contender: Contender
  readonly session: string
  over: boolean
  asleep: boolean
}
