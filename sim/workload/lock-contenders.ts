import type { Env } from '../../src/env/env.ts'
import type { Invariants } from '../checkers/invariants.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { AskedAgent } from './asked-agents.ts'
import { drawnPause } from './drawn-pause.ts'
import { LockClient } from './lock-client.ts'

/** What contenders do, with all defaults applied. */
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
/** A holder sleeps for this many times its session's time to live. */
const sleepFactor = 3

/**
 * Clients that contend for a few locks, each with a session of its own that it renews three times in its time to live.
 * The holder of a lock writes to the resource that the lock guards, with its fencing number, and then releases the
 * lock. Some holders are paused meanwhile and write when they wake, when others have held the lock since.
 */
export class LockContenders {
  readonly #env: Env
  readonly #plan: LockPlan
  readonly #world: LockWorld
  readonly #client: LockClient
  readonly #contenders: readonly Contender[]
  /** The guarded resources: the greatest fencing number that each has seen. */
  readonly #guarded = new Map<string, number>()
  #running = false
  #lateWrites = 0
  /** Number of clients that are about to write to the cluster, or hold a lock and will write. */
  #busy = 0

  constructor(env: Env, plan: LockPlan, world: LockWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new LockClient(env, plan.timeoutMs)
    this.#contenders = Array.from({ length: plan.contenders }, (_, number) => ({ number, decided: 0, renewals: 0 }))
  }

  /** Number of writes by former holders that the guarded resource refused. */
  get lateWrites(): number {
    return this.#lateWrites
  }

  /**
   * Work that is not done yet: after `stop` every holder releases its lock in its own time. Sleepers write nothing to
   * the cluster.
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
      await drawnPause(this.#env, this.#draws(contender), pauseMs)
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

  /** One session, from its creation until it is destroyed or has ended. */
  async #live(contender: Contender, session: string): Promise<void> {
    const life: Life = { contender, session, over: false, asleep: false }
    this.#env.detach(this.#keepAlive(life))
    while (this.#running && !life.over) {
      await drawnPause(this.#env, this.#draws(contender), pauseMs)
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
      await drawnPause(this.#env, draws, { min: sleepFactor * this.#plan.ttlMs, max: sleepFactor * this.#plan.ttlMs })
      this.#busy++
      this.#write(key, fence)
      life.over = true
      return
    }
    await drawnPause(this.#env, draws, this.#plan.holdMs)
    this.#write(key, fence)
    const agent = this.#agent(draws)
    if (agent === undefined) return
    // One in four writes its progress to the key itself.
    if (draws.below(4) === 0) await this.#client.write(agent.endpoint, key, this.#value(life.contender))
    // One in five ends its session instead, as a stopped program does.
    if (draws.below(5) > 0) await this.#client.release(agent.endpoint, key, life.session, this.#value(life.contender))
    else {
      life.over = true
      await this.#client.destroy(agent.endpoint, life.session)
    }
  }

  /** The guarded resource accepts writes of its holders in their order, and refuses those of earlier holders. */
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
      await drawnPause(this.#env, draws, { min: everyMs * 0.8, max: everyMs * 1.2 })
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

  /** The draws of a contender's next action. */
  #draws(contender: Contender): Draws {
    return this.#world.decisions.draws('locks', this.#plan.name, contender.number, ++contender.decided)
  }

  #agent(draws: Draws): AskedAgent | undefined {
    return this.#world.agent(draws)
  }

  #value({ number, decided }: Contender): string {
    return `${this.#plan.name}-held-${number + 1}.${decided}`
  }
}

/** A contender's draws are its own, and do not depend on how often other contenders acted. */
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
