import type { Env } from '../../src/env/env.ts'
import type { RandomStream } from '../../src/env/random.ts'
import type { Invariants } from '../checkers/invariants.ts'
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
  readonly agent: (draw: (bound: number) => number) => AskedAgent | undefined
  readonly invariants: Invariants
}

const pauseMs = { min: 200, max: 1_500 }
/** A holder that sleeps does so for this many times its session's time to live. */
const sleepFactor = 3

/**
 * Contenders for a few locks, each with a session of its own that it renews three times in its time to live. The holder of a
 * lock writes to what the lock guards, with its fencing number, and releases the lock again; some holders are paused with it
 * and write when they wake, when others have held the lock since.
 */
export class LockContenders {
  readonly #env: Env
  readonly #plan: LockPlan
  readonly #world: LockWorld
  readonly #client: LockClient
  readonly #draw: RandomStream
  /** What the locks guard: the greatest fencing number that each has seen. */
  readonly #guarded = new Map<string, number>()
  #running = false
  #written = 0
  #lateWrites = 0
  /** Contenders that are about to write to the cluster, or hold a lock and will. */
  #busy = 0

  constructor(env: Env, plan: LockPlan, world: LockWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new LockClient(env, plan.timeoutMs)
    this.#draw = env.random.stream(`locks.${plan.name}`)
  }

  /** Writes of holders that were none any more, refused by what the lock guards. */
  get lateWrites(): number {
    return this.#lateWrites
  }

  /** What is not done yet: after `stop` every holder gives up its lock, in its own time. Sleepers write nothing to the cluster. */
  openRequests(): readonly string[] {
    return this.#busy === 0 ? [] : [`${this.#busy} of ${this.#plan.name} at locks`]
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    for (let i = 0; i < this.#plan.contenders; i++) this.#env.detach(this.#contend())
  }

  stop(): void {
    this.#running = false
  }

  async #contend(): Promise<void> {
    while (this.#running) {
      await this.#pause(pauseMs)
      if (!this.#running) return
      const session = await this.#busily(() => this.#create())
      if (session !== undefined) await this.#live(session)
    }
  }

  async #busily<T>(act: () => Promise<T>): Promise<T> {
    this.#busy++
    const result = await act()
    this.#busy--
    return result
  }

  async #create(): Promise<string | undefined> {
    const agent = this.#agent()
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
  async #live(session: string): Promise<void> {
    const life: Life = { session, over: false, asleep: false }
    this.#env.detach(this.#keepAlive(life))
    while (this.#running && !life.over) {
      await this.#pause(pauseMs)
      if (this.#running) await this.#busily(() => this.#turn(life))
    }
    life.over = true
  }

  async #turn(life: Life): Promise<void> {
    const agent = this.#agent()
    if (agent === undefined) return
    const { name, locks } = this.#plan
    const key = `${name.replaceAll(' ', '-')}/lock-${this.#draw.below(locks)}`
    const answer = await this.#client.acquire(agent.endpoint, key, life.session, this.#value())
    if (answer.kind === 'no-session') life.over = true
    if (answer.kind !== 'held') return
    this.#world.invariants.tell('lock answered', { key, session: life.session, fence: answer.fence })
    await this.#hold(life, key, answer.fence)
  }

  async #hold(life: Life, key: string, fence: number): Promise<void> {
    this.#write(key, fence)
    if (this.#draw.fraction() < this.#plan.sleepChance) {
      life.asleep = true
      this.#busy--
      await this.#pause({ min: sleepFactor * this.#plan.ttlMs, max: sleepFactor * this.#plan.ttlMs })
      this.#busy++
      this.#write(key, fence)
      life.over = true
      return
    }
    await this.#pause(this.#plan.holdMs)
    this.#write(key, fence)
    const agent = this.#agent()
    if (agent === undefined) return
    // One in four tells in the key itself how it goes.
    if (this.#draw.below(4) === 0) await this.#client.write(agent.endpoint, key, this.#value())
    // One in five ends its session instead, as a program that is stopped does.
    if (this.#draw.below(5) > 0) await this.#client.release(agent.endpoint, key, life.session, this.#value())
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
    for (;;) {
      await this.#pause({ min: everyMs * 0.8, max: everyMs * 1.2 })
      if (!this.#running || life.over || life.asleep) return
      const agent = this.#agent()
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

  #agent(): AskedAgent | undefined {
    return this.#world.agent((bound) => this.#draw.below(bound))
  }

  #pause({ min, max }: { readonly min: number; readonly max: number }): Promise<void> {
    const deferred = this.#env.deferred<void>()
    this.#env.timers.after(min + this.#draw.fraction() * (max - min), () => deferred.resolve())
    return deferred.promise
  }

  #value(): string {
    this.#written++
    return `${this.#plan.name}-held-${this.#written}`
  }
}

interface Life {
  readonly session: string
  over: boolean
  asleep: boolean
}
