import type { Agent } from './agent.ts'
import { worldTiming } from './agent.ts'
import { settle } from './agreement.ts'
import { longestReplayMs, soundCore, World, type WorldCore } from './world.ts'

/** What may go wrong in a run: each seed has some kinds switched off, so that the others are seen by themselves. */
interface Profile {
  readonly agents: number
  readonly loss: number
  readonly duplication: number
  readonly replay: number
  readonly delayMaxMs: number
  readonly crashes: boolean
  readonly leaves: boolean
  readonly moves: boolean
  readonly partitions: boolean
  readonly pauses: boolean
  readonly forced: boolean
}

/** Suspicion at its longest, then exchanges and reconnects, which are drawn at random. */
const boundMs = 120_000

/** What goes wrong with this seed that must not: a broken law, or no agreement once the trouble is over. */
export function failureOf(seed: number, core: WorldCore = soundCore): string | undefined {
  try {
    const { world, profile } = troubledWorld(seed, core)
    quiet(world)
    // Packets that come again late are trouble, too.
    if (profile.replay > 0) world.runFor(longestReplayMs)
    settle(world, boundMs)
    world.runFor(30_000)
    settle(world, 0)
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** A world of some seconds of trouble, in which what the seed draws goes wrong. */
function troubledWorld(seed: number, core: WorldCore): { readonly world: World; readonly profile: Profile } {
  const world = new World(seed, worldTiming, core)
  const { dice } = world
  const profile: Profile = {
    agents: 2 + dice.below(11),
    loss: dice.chance(0.5) ? dice.between(0, 0.4) : 0,
    duplication: dice.chance(0.5) ? 0.2 : 0,
    replay: dice.chance(0.5) ? 0.1 : 0,
    delayMaxMs: dice.pick([5, 100, 900]),
    crashes: dice.chance(0.6),
    leaves: dice.chance(0.6),
    moves: dice.chance(0.3),
    partitions: dice.chance(0.6),
    pauses: dice.chance(0.4),
    forced: dice.chance(0.3),
  }
  const nearTheEnd = dice.chance(0.2) ? 2_147_483_648 - 40 - dice.below(10) : 0
  for (let i = 0; i < profile.agents; i++) world.keepJoining(world.start(`n${i}`, undefined, nearTheEnd))
  world.runFor(dice.between(0, 8_000))
  Object.assign(world.weather, profile)
  const events = 5 + dice.below(20)
  for (let i = 0; i < events; i++) {
    trouble(world, profile)
    world.runFor(dice.between(0, dice.pick([300, 3_000, 30_000])))
  }
  return { world, profile }
}

/**
 * Faults end: all agents can reach each other and none is paused; crashed ones stay away, those that left may come
 * back.
 */
function quiet(world: World): void {
  Object.assign(world.weather, { loss: 0, duplication: 0, replay: 0, delayMaxMs: 5 })
  world.heal()
  for (const agent of world.running()) if (agent.isPaused) world.wake(agent)
  const [any] = [...world.agents.values()]
  if (world.running().length === 0 && any !== undefined) world.start(any.name, any.address)
  joinWhatCameApart(world)
}

/**
 * Agents that left and came back may have found only each other; the ones that stayed consider them left and never
 * contact them. That is two pools, which only a further join unites.
 */
function joinWhatCameApart(world: World): void {
  const running = world.running()
  const [first] = running
  if (first === undefined) return
  const reached = new Set([first])
  for (const agent of reached) {
    for (const other of running) if (isCalled(agent, other) || isCalled(other, agent)) reached.add(other)
  }
  const apart = running.find((agent) => !reached.has(agent))
  if (apart === undefined) return
  world.join(apart, first)
  world.runFor(1_000)
  joinWhatCameApart(world)
}

function isCalled(from: Agent, to: Agent): boolean {
  const known = from.core.members.get(to.name)
  return known !== undefined && known.status !== 'left' && known.address.host === to.address.host
}

type Trouble = (world: World, agent: Agent) => void

function trouble(world: World, profile: Profile): void {
  const kinds: Trouble[] = [retag]
  if (profile.crashes) kinds.push(crash, restart, restart)
  if (profile.leaves) kinds.push(leave, restart)
  if (profile.moves) kinds.push(move)
  if (profile.partitions) kinds.push(divide, heal)
  if (profile.pauses) kinds.push(pauseForAWhile)
  if (profile.forced) kinds.push(force)
  world.dice.pick(kinds)(world, world.dice.pick([...world.agents.values()]))
}

const crash: Trouble = (world, agent) => world.crash(agent)

const restart: Trouble = (world, agent) => {
  if (!agent.isRunning) world.keepJoining(world.start(agent.name, agent.address))
}

const move: Trouble = (world, agent) => {
  if (agent.isRunning) return
  const host = `10.0.${1 + world.dice.below(200)}.${1 + world.dice.below(200)}`
  world.keepJoining(world.start(agent.name, { host, port: 8301 }))
}

const leave: Trouble = (world, agent) => {
  if (agent.isRunning && !agent.isPaused) world.step(agent, { kind: 'leave-requested' })
}

const divide: Trouble = (world) => {
  const sides = new Map([...world.agents.keys()].map((name) => [name, world.dice.below(2)]))
  world.divide(({ name }) => sides.get(name) ?? 0)
}

const heal: Trouble = (world) => world.heal()

const pauseForAWhile: Trouble = (world, agent) => {
  if (!agent.isRunning || agent.isPaused) return
  world.pause(agent)
  world.after(world.dice.between(100, 40_000), () => {
    if (agent.isRunning && agent.isPaused) world.wake(agent)
  })
}

const retag: Trouble = (world, agent) => {
  if (!agent.isRunning || agent.isPaused) return
  world.step(agent, { kind: 'meta-changed', meta: new Uint8Array([agent.boot, world.dice.below(250)]) })
}

const force: Trouble = (world, agent) => {
  const [observer] = world.running().filter((other) => !other.isPaused)
  if (observer !== undefined) world.step(observer, { kind: 'force-leave-requested', name: agent.name })
}
