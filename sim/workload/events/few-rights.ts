import type { Env } from '../../../src/env/env.ts'
import type { EventListing, FewRightsFire, FiredEvent } from '../../checkers/events/event-facts.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { drawnPause } from '../drawn-pause.ts'
import type { Crew } from '../kind.ts'
import { contentOf, EventClient } from './event-client.ts'
import { type EventAgent, type EventWorld, eventNames } from './event-users.ts'

export interface FewRightsPlan {
  readonly name: string
  /** The token's secret; read anew for each request. */
  readonly token: () => string
  /** The only name whose events the token may write and read. */
  readonly may: string
  readonly everyMs: { readonly min: number; readonly max: number }
}

/** A client whose token has the rights to events of one name: it fires and lists events of every name. */
export class FewRights implements Crew {
  readonly #env: Env
  readonly #plan: FewRightsPlan
  readonly #world: EventWorld
  readonly #client: EventClient
  #round = 0

  constructor(env: Env, plan: FewRightsPlan, world: EventWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new EventClient(env)
  }

  start(): void {
    this.#env.detach(this.#askAll(++this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #askAll(round: number): Promise<void> {
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('events with few rights', this.#plan.name, round, nth)
      await drawnPause(this.#env, draws, this.#plan.everyMs)
      const agent = draws.oneOf(this.#world.agents(), ({ name }) => name)
      if (this.#round !== round || agent === undefined) continue
      if (draws.below(2) === 0) await this.#list(agent)
      else await this.#fire(agent, draws, `${this.#plan.name} few ${round}.${nth}`)
    }
  }

  async #fire(agent: EventAgent, draws: Draws, payload: string): Promise<void> {
    const { tell, nowUs } = this.#world
    const name = eventNames[draws.below(eventNames.length)] ?? ''
    const wanted = { name, payload, node: '', service: '', tag: '' }
    const content = contentOf(wanted)
    const fire: FewRightsFire = {
      content,
      agent: agent.name,
      mayWrite: name === this.#plan.may,
      outcome: undefined,
    }
    const calledUs = nowUs()
    const event: FiredEvent = { content, agent: agent.name, isForNode: undefined, id: undefined, calledUs }
    tell('event asked for with few rights', fire)
    tell('event asked for', { event, boot: agent.boot })
    const answer = await this.#client.ask(agent.endpoint, wanted, this.#plan.token())
    if (answer?.status === 200) event.id = answer.id
    fire.outcome = answer?.status === 200 ? 'fired' : answer?.status === 403 ? 'refused' : undefined
    tell('event answered with few rights', fire)
  }

  /** Lists between two lists of a client that may read everything: if those are equal, the agent had these events. */
  async #list(agent: EventAgent): Promise<void> {
    const before = await this.#client.list(agent.endpoint, '')
    const shown = await this.#client.list(agent.endpoint, '', undefined, this.#plan.token())
    const after = await this.#client.list(agent.endpoint, '')
    const isSame = this.#world.agents().some(({ name, boot }) => name === agent.name && boot === agent.boot)
    if (before === undefined || shown === undefined || after === undefined || !isSame) return
    this.#world.tell('events shown to few rights', {
      node: agent.name,
      names: [this.#plan.may],
      before: contents(before),
      shown: contents(shown),
      after: contents(after),
    })
  }
}

function contents({ events }: Pick<EventListing, 'events'>): readonly string[] {
  return events.map(({ content }) => content)
}
