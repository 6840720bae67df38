import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { pause } from '../../../src/model/pause.ts'
import type { Tell } from '../../checkers/checker.ts'
import type { EventListing, EventWait, FiredEvent } from '../../checkers/events/event-facts.ts'
import type { Decisions } from '../../world/decisions/decisions.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { drawnPause } from '../drawn-pause.ts'
import type { Crew } from '../kind.ts'
import { contentOf, EventClient, type EventWanted } from './event-client.ts'

export interface EventPlan {
  readonly name: string
  readonly everyMs: { readonly min: number; readonly max: number }
  /** The service whose name filters are drawn with; empty: no filters by service. */
  readonly service: string
  readonly tag: string
}

/** A running agent and its address. */
export interface EventAgent {
  readonly name: string
  readonly endpoint: Endpoint
  readonly boot: number
}

export interface EventWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  /** All running agents. */
  readonly agents: () => readonly EventAgent[]
  /** Tags of each of its instances of the service; undefined: the agent does not run. */
  readonly tagsAt: (agent: string, service: string) => readonly (readonly string[])[] | undefined
  readonly tell: Tell
  /** Maximum duration of gossip, and of an exchange of states after it. */
  readonly spreadMs: () => number
  readonly exchangeMs: () => number
}

/** Pause between two questions of a listener, and the wait of each. */
const againMs = 100
const waitMs = { min: 1_000, max: 8_000 }
/** The names of events. */
export const eventNames = ['deploy', 'restart'] as const
/** A listener asks for events of this name by name, and otherwise for all events. */
const askedByName = eventNames[1]

/** Clients that fire user events, later check that these reached the right agents, and listen at every agent. */
export class EventUsers implements Crew {
  readonly #env: Env
  readonly #plan: EventPlan
  readonly #world: EventWorld
  readonly #client: EventClient
  #round = 0

  constructor(env: Env, plan: EventPlan, world: EventWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new EventClient(env)
  }

  start(): void {
    const round = ++this.#round
    this.#env.detach(this.#fireAll(round))
    for (const { name } of this.#world.agents()) this.#env.detach(this.#listen(name, round))
  }

  stop(): void {
    this.#round++
  }

  async #fireAll(round: number): Promise<void> {
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('events', this.#plan.name, round, nth)
      await drawnPause(this.#env, draws, this.#plan.everyMs)
      const agents = this.#world.agents()
      const agent = draws.oneOf(agents, ({ name }) => name)
      if (this.#round !== round || agent === undefined || !this.#world.decisions.happens(draws)) continue
      const wanted = this.#drawn(draws, `${this.#plan.name} ${round}.${nth}`)
      this.#world.decisions.tell(draws, () => `event ${contentOf(wanted)} at ${agent.name}`)
      await this.#fire(agent, wanted)
    }
  }

  #drawn(draws: Draws, payload: string): EventWanted {
    const { service, tag } = this.#plan
    const name = eventNames[draws.below(eventNames.length)] ?? eventNames[0]
    const agent = draws.oneOf(this.#world.agents(), (each) => each.name)?.name ?? ''
    const none = { name, payload, node: '', service: '', tag: '' }
    switch (draws.below(service === '' ? 4 : 6)) {
      case 0:
        return { ...none, node: `^${agent}$` }
      case 1:
        return { ...none, node: agent.slice(0, 1) }
      case 4:
        return { ...none, service: `^${service}$` }
      case 5:
        return { ...none, service, tag }
      default:
        return none
    }
  }

  async #fire(agent: EventAgent, wanted: EventWanted): Promise<void> {
    const { tell, nowUs } = this.#world
    const isForNode = wanted.node === '' ? undefined : (node: string): boolean => new RegExp(wanted.node).test(node)
    const event: FiredEvent = {
      content: contentOf(wanted),
      agent: agent.name,
      isForNode,
      id: undefined,
      calledUs: nowUs(),
    }
    tell('event asked for', { event, boot: agent.boot })
    const goals = this.#goals(wanted)
    event.id = await this.#client.fire(agent.endpoint, wanted)
    if (event.id !== undefined) this.#env.detach(this.#lookAll(event, wanted, goals))
  }

  /** The agents that match an event's filters, by name and boot. */
  #goals({ node, service, tag }: EventWanted): ReadonlySet<string> {
    const { agents, tagsAt } = this.#world
    const suited = agents().filter(({ name }) => {
      if (!new RegExp(node).test(name)) return false
      if (service === '') return true
      return tagsAt(name, service)?.some((tags) => tag === '' || tags.includes(tag)) === true
    })
    return new Set(suited.map(({ name, boot }) => `${name} ${boot}`))
  }

  async #lookAll(event: FiredEvent, wanted: EventWanted, goals: ReadonlySet<string>): Promise<void> {
    const { nowUs, agents, spreadMs, exchangeMs } = this.#world
    const firedUs = nowUs()
    const [spread, exchange] = [spreadMs(), exchangeMs()]
    await pause(this.#env, spread)
    const missing: EventAgent[] = []
    for (const agent of agents()) {
      if (!goals.has(`${agent.name} ${agent.boot}`)) continue
      if ((await this.#look(event, firedUs, wanted, agent, 'gossip')) === false) missing.push(agent)
    }
    if (missing.length === 0) return
    await pause(this.#env, exchange - spread)
    for (const agent of missing) await this.#look(event, firedUs, wanted, agent, 'exchange')
  }

  async #look(
    event: FiredEvent,
    firedUs: number,
    wanted: EventWanted,
    agent: EventAgent,
    after: 'gossip' | 'exchange',
  ): Promise<boolean | undefined> {
    const listing = await this.#list(agent, wanted.name === askedByName ? wanted.name : '')
    if (listing === undefined || !this.#goals(wanted).has(`${agent.name} ${agent.boot}`)) return undefined
    const isThere = listing.events.some(({ content }) => content === event.content)
    this.#world.tell('event looked for', { event, firedUs, node: agent.name, isThere, after })
    return isThere
  }

  async #list(agent: EventAgent, name: string, wait?: EventWait): Promise<EventListing | undefined> {
    const calledUs = this.#world.nowUs()
    const answer = await this.#client.list(agent.endpoint, name, wait)
    const isSame = this.#world.agents().some((now) => now.name === agent.name && now.boot === agent.boot)
    if (answer === undefined || !isSame) return undefined
    const listing = { node: agent.name, boot: agent.boot, name, calledUs, wait, ...answer }
    this.#world.tell('events listed', listing)
    return listing
  }

  async #listen(node: string, round: number): Promise<void> {
    let index = '1'
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('events', this.#plan.name, 'listener', node, round, nth)
      const agent = this.#world.agents().find(({ name }) => name === node)
      if (agent !== undefined) {
        const forMs = Math.round(waitMs.min + draws.fraction() * (waitMs.max - waitMs.min))
        const { boot } = agent
        const wait = { node, boot, name: '', index, waitMs: forMs, calledUs: this.#world.nowUs() }
        this.#world.tell('event wait began', wait)
        const listing = await this.#list(agent, '', wait)
        if (listing === undefined) this.#world.tell('event wait given up', wait)
        else index = listing.index
      }
      await pause(this.#env, againMs)
    }
  }
}
