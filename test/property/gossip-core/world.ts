import { Heap } from '../../../src/base/heap.ts'
import { fullState } from '../../../src/gossip/core/answers.ts'
import { packetBytesDefault } from '../../../src/gossip/core/bounds.ts'
import type { GossipAddress, Message } from '../../../src/gossip/core/messages.ts'
import { createGossip } from '../../../src/gossip/core/state.ts'
import { step } from '../../../src/gossip/core/step.ts'
import type { GossipEffect, GossipEvent, GossipTimer } from '../../../src/gossip/core/types.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import { Dice } from '../../tools/dice.ts'
import { type Agent, sizeOf, worldTiming, worldVersions } from './agent.ts'
import { Laws } from './laws.ts'

export const longestReplayMs = 60_000

/** What the world runs: the core, or a copy of it with a bug planted. */
export interface WorldCore {
  readonly createGossip: typeof createGossip
  readonly fullState: typeof fullState
  readonly step: typeof step
}

export const soundCore: WorldCore = { createGossip, fullState, step }

export interface Weather {
  loss: number
  duplication: number
  /** Of a packet that comes again much later. */
  replay: number
  delayMaxMs: number
}

interface Happening {
  readonly atMs: number
  readonly sequence: number
  readonly run: () => void
}

/** Agents and a network in one queue of virtual time: what `step` asks for is done here, well or badly. */
export class World {
  readonly dice: Dice
  readonly laws = new Laws()
  readonly agents = new Map<string, Agent>()
  readonly weather: Weather = { loss: 0, duplication: 0, replay: 0, delayMaxMs: 5 }
  readonly timing: GossipTiming
  nowMs = 0
  packets = 0
  steps = 0
  #sequence = 0
  readonly #core: WorldCore
  readonly #seed: number
  #side = new Map<string, number>()
  readonly #queue = new Heap<Happening>((a, b) => (a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs))

  constructor(seed: number, timing: GossipTiming = worldTiming, core: WorldCore = soundCore) {
    this.#core = core
    this.#seed = seed
    this.dice = new Dice(seed)
    this.timing = timing
  }

  running(): Agent[] {
    return [...this.agents.values()].filter((agent) => agent.isRunning)
  }

  after(delayMs: number, run: () => void): void {
    this.#queue.push({ atMs: this.nowMs + delayMs, sequence: this.#sequence++, run })
  }

  runUntil(atMs: number): void {
    for (let next = this.#queue.peek(); next !== undefined && next.atMs <= atMs; next = this.#queue.peek()) {
      this.#queue.pop()
      this.nowMs = next.atMs
      next.run()
    }
    this.nowMs = atMs
  }

  runFor(spanMs: number): void {
    this.runUntil(this.nowMs + spanMs)
  }

  /** Starts an agent, or starts it again with nothing remembered. */
  start(
    name: string,
    address: GossipAddress = { host: `10.0.0.${this.agents.size + 1}`, port: 8301 },
    incarnation = 0,
  ): Agent {
    const boot = (this.agents.get(name)?.boot ?? 0) + 1
    const index = [...this.agents.keys()].indexOf(name)
    const core = this.#core.createGossip({
      name,
      address,
      meta: new Uint8Array([boot]),
      versions: worldVersions,
      timing: this.timing,
      sizeOf,
      packetBytesMax: packetBytesDefault,
      incarnation,
    })
    const dice = new Dice(this.#seed * 7_919 + (index < 0 ? this.agents.size : index) * 101 + boot)
    const agent: Agent = {
      name,
      address,
      core,
      isRunning: true,
      isPaused: false,
      hasJoined: false,
      boot,
      dice,
      timers: new Map(),
      inbox: [],
      changes: [],
    }
    this.agents.set(name, agent)
    this.step(agent, { kind: 'started' })
    return agent
  }

  /** Tries one after the other until it has joined, as an agent does that was told where others are. */
  keepJoining(agent: Agent, spanMs = 1_000): void {
    if (!agent.isRunning || agent.hasJoined) return
    const others = [...this.agents.values()].filter((other) => other !== agent)
    if (others.length > 0) this.join(agent, this.dice.pick(others))
    this.after(spanMs, () => this.keepJoining(agent, spanMs))
  }

  join(agent: Agent, other: Agent): void {
    this.#exchange(agent, other.address, true, 'join-answer')
  }

  crash(agent: Agent): void {
    agent.isRunning = false
    agent.timers.clear()
    agent.inbox = []
  }

  pause(agent: Agent): void {
    agent.isPaused = true
  }

  /** What waited is read in random order among timers and packets, as a machine that wakes does. */
  wake(agent: Agent): void {
    agent.isPaused = false
    const { inbox } = agent
    agent.inbox = []
    while (inbox.length > 0) {
      const [run] = inbox.splice(this.dice.below(inbox.length), 1)
      if (agent.isRunning) run?.()
    }
  }

  /** Agents on different sides hear nothing of each other; those without a side are on side 0. */
  divide(side: (agent: Agent) => number): void {
    this.#side = new Map([...this.agents.values()].map((agent) => [agent.name, side(agent)]))
  }

  heal(): void {
    this.#side.clear()
  }

  step(agent: Agent, event: GossipEvent): readonly GossipEffect[] {
    this.steps++
    const effects = this.#core.step(agent.core, event, this.nowMs, agent.dice)
    this.laws.stepped(agent, event, effects)
    for (const effect of effects) this.#perform(agent, effect)
    return effects
  }

  /** Runs this in the agent's own time: now, when it wakes, or never if it is another process by then. */
  #within(agent: Agent, run: () => void): void {
    if (!agent.isRunning) return
    if (agent.isPaused) agent.inbox.push(run)
    else run()
  }

  #perform(agent: Agent, effect: GossipEffect): void {
    switch (effect.kind) {
      case 'send':
        return this.#send(agent, effect.to, effect.messages)
      case 'exchange':
        return this.#exchange(agent, effect.with, effect.join, 'answer')
      case 'stream-ping':
        return this.#streamPing(agent, effect)
      case 'set-timer':
        return this.#setTimer(agent, effect.timer, effect.delayMs)
      case 'clear-timer':
        agent.timers.delete(effect.timer)
        return
      case 'members-changed':
        agent.changes.push(...effect.changes)
        return
      case 'left':
        return this.after(0, () => this.crash(agent))
    }
  }

  #setTimer(agent: Agent, timer: GossipTimer, delayMs: number): void {
    const token = this.#sequence
    agent.timers.set(timer, token)
    this.after(delayMs, () =>
      this.#within(agent, () => {
        if (agent.timers.get(timer) !== token) return
        agent.timers.delete(timer)
        this.step(agent, { kind: 'timer-fired', timer })
      }),
    )
  }

  #at({ host, port }: GossipAddress): Agent | undefined {
    return [...this.agents.values()].find(
      (agent) => agent.isRunning && agent.address.host === host && agent.address.port === port,
    )
  }

  #reaches(from: Agent, to: Agent): boolean {
    return (this.#side.get(from.name) ?? 0) === (this.#side.get(to.name) ?? 0)
  }

  #delayMs(): number {
    return this.dice.between(0, this.weather.delayMaxMs)
  }

  #send(from: Agent, to: GossipAddress, messages: readonly Message[]): void {
    this.packets++
    const { loss, duplication, replay } = this.weather
    if (this.dice.chance(loss)) return
    this.after(this.#delayMs(), () => this.#arrive(from, to, messages))
    if (this.dice.chance(duplication)) this.after(this.#delayMs(), () => this.#arrive(from, to, messages))
    if (this.dice.chance(replay))
      this.after(this.dice.between(1_000, longestReplayMs), () => this.#arrive(from, to, messages))
  }

  #arrive(from: Agent, address: GossipAddress, messages: readonly Message[]): void {
    const to = this.#at(address)
    if (to === undefined || !this.#reaches(from, to)) return
    this.#within(to, () => this.step(to, { kind: 'packet-received', from: from.address, messages }))
  }

  #exchange(from: Agent, address: GossipAddress, join: boolean, how: 'answer' | 'join-answer'): void {
    const state = this.#core.fullState(from.core, join)
    this.after(this.#delayMs(), () => {
      const to = this.#at(address)
      if (to === undefined || to === from || !this.#reaches(from, to)) return
      this.#within(to, () => {
        this.step(to, { kind: 'state-received', how: 'request', from: from.address, state })
        const answer = this.#core.fullState(to.core, false)
        this.after(this.#delayMs(), () => {
          if (!this.#reaches(to, from)) return
          this.#within(from, () => {
            from.hasJoined = true
            this.step(from, { kind: 'state-received', how, from: to.address, state: answer })
          })
        })
      })
    })
  }

  #streamPing(from: Agent, ping: Extract<GossipEffect, { readonly kind: 'stream-ping' }>): void {
    this.after(2 * this.#delayMs(), () => {
      const to = this.#at(ping.to)
      const answered = to !== undefined && !to.isPaused && this.#reaches(from, to) && to.name === ping.node
      this.#within(from, () => this.step(from, { kind: 'stream-ping-finished', sequence: ping.sequence, answered }))
    })
  }
}
