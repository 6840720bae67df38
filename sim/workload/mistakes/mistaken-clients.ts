import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { uuidOf } from '../../../src/base/uuid.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientResponse } from '../../../src/env/http.ts'
import type { Tell } from '../../checkers/checker.ts'
import type { Decisions } from '../../world/decisions/decisions.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { type AskedAgent, answerWithinMs } from '../asked-agents.ts'
import { drawnPause } from '../drawn-pause.ts'
import { tokenHeaders } from '../key-client.ts'
import type { Crew } from '../kind.ts'
import type { PlainRequest, Settled } from './settled.ts'

export interface MistakenPlan {
  readonly name: string
  readonly clients: number
  readonly table: readonly Settled[]
  readonly everyMs: { readonly min: number; readonly max: number }
}

export interface MistakenWorld {
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  /** Whether the agent has been in contact with its leader for long enough that it must answer. */
  readonly isInContact: (agent: string) => boolean
  /** Whether no fault has begun or ended for as long. */
  readonly isCalm: () => boolean
  /** Microseconds of true time. */
  readonly nowUs: () => number
  readonly eventNow: () => number
  readonly tell: Tell
}

/**
 * Clients that send requests whose right answer is known beforehand: most must be refused. They take the table in an
 * order of their own, so that a run that is long enough makes every request.
 */
export class MistakenClients implements Crew {
  readonly #env: Env
  readonly #plan: MistakenPlan
  readonly #world: MistakenWorld
  #round = 0
  /** Places of the table that are left of the present pass. */
  #left: number[] = []
  #sent = 0

  constructor(env: Env, plan: MistakenPlan, world: MistakenWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    for (let client = 0; client < this.#plan.clients; client++) this.#env.detach(this.#sendAll(this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #sendAll(round: number): Promise<void> {
    const { name, everyMs } = this.#plan
    while (this.#round === round) {
      const draws = this.#world.decisions.draws('mistakes', name, ++this.#sent)
      await drawnPause(this.#env, draws, everyMs)
      const agent = this.#round === round ? this.#world.agent(draws) : undefined
      const settled = agent === undefined ? undefined : this.#drawn(draws)
      if (agent !== undefined && settled !== undefined) await this.#send(agent, settled, draws)
    }
  }

  #drawn(draws: Draws): Settled | undefined {
    if (this.#left.length === 0) this.#left = this.#plan.table.map((_, place) => place)
    const [place] = this.#left.splice(draws.below(this.#left.length), 1)
    return place === undefined ? undefined : this.#plan.table[place]
  }

  async #send(agent: AskedAgent, settled: Settled, draws: Draws): Promise<void> {
    const { first = [], request, about, leaves } = settled
    const parts = { mark: drawnUuid(draws), other: drawnUuid(draws) }
    let made: string | undefined = ''
    for (const making of typeof first === 'function' ? [first] : first) {
      made = await this.#made(agent, making({ ...parts, mark: drawnUuid(draws), made }))
      if (made === undefined) return
    }
    const sent = request({ ...parts, made })
    const { mark } = parts
    const what = `${sent.method} ${pathOf(sent.target)} at ${agent.name} (${about})`
    const { isCalm } = this.#world
    const wasInContact = this.#world.isInContact(agent.name)
    const wasCalm = wasInContact && isCalm()
    const calledIn = this.#world.eventNow()
    const calledUs = this.#world.nowUs()
    this.#world.tell('settled request began', { what, mark, leaves, calledIn })
    const answer = await this.#ask(agent, sent)
    if (answer === undefined) return
    const isInContact = wasInContact && this.#world.isInContact(agent.name)
    this.#world.tell('settled request answered', {
      what,
      mark,
      calledIn,
      tookMs: (this.#world.nowUs() - calledUs) / 1000,
      status: answer.status,
      body: textOf(answer.body),
      right: { status: settled.status, body: settled.says },
      isInContact,
      isCalm: wasCalm && isInContact && isCalm(),
    })
  }

  /** The ID of what the request has made; undefined: it was not answered as it must be. */
  async #made(agent: AskedAgent, request: PlainRequest): Promise<string | undefined> {
    const answer = await this.#ask(agent, request)
    if (answer?.status !== 200) return undefined
    const { ID, AccessorID = ID } = JSON.parse(textOf(answer.body)) as { readonly ID?: string; AccessorID?: string }
    return AccessorID ?? ''
  }

  async #ask(
    { endpoint }: AskedAgent,
    { method, target, body }: PlainRequest,
  ): Promise<HttpClientResponse | undefined> {
    const answer = await this.#env.http.request(endpoint, {
      method,
      target,
      timeoutMs: answerWithinMs,
      headers: tokenHeaders(endpoint.token),
      ...(body === undefined ? {} : { body: utf8(body) }),
    })
    return answer.ok ? answer.value : undefined
  }
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? target
}

function drawnUuid(draws: Draws): string {
  return uuidOf(Uint8Array.from({ length: 16 }, () => draws.below(256)))
}
