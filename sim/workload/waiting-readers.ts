import { z } from 'zod'
import { compareText, textOf } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import { pause } from '../../src/model/pause.ts'
import { waitingAnswers } from '../checkers/clients/waiting-answers.ts'
import { durationRange, selector, Template, template } from '../notation/fields.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { type AskedAgent, type GroupWorld, groupWorld, mayBeOld } from './asked-agents.ts'
import { drawnMs } from './drawn-pause.ts'
import { knowsLeaderBy, tokenHeaders } from './key-client.ts'
import { workloadKind } from './kind.ts'

/** What a group reads, with all defaults applied. */
export interface ReaderPlan {
  readonly name: string
  readonly readers: number
  /** Targets of requests, as the scenario names them: `/v1/health/service/web`. */
  readonly queries: readonly string[]
  /** Their token as the scenario names it; undefined: none. */
  readonly token: string | undefined
  readonly consistencies: readonly ('default' | 'consistent' | 'stale')[]
  readonly waitMs: { readonly min: number; readonly max: number }
  readonly pauseMs: { readonly min: number; readonly max: number }
  /** Nothing changes that their token may see. */
  readonly isStill: boolean
}

export interface ReaderWorld extends GroupWorld {
  /** The target of a query, with what earlier steps saved. */
  readonly targetOf: (query: string) => string
}

/** Beyond any index that a run reaches. */
const farAhead = 10_000_000
/** One question in this many waits for an index that the state has not reached. */
const aheadOneIn = 16
/** A client's timeout beyond the wait: an agent whose server has gone needs time to find another. */
const answerSlackMs = 20_000
const askAgainMs = 200

/** The index of an answer, and its status and body. */
interface Known {
  readonly index: number
  readonly body: string
}

/** Clients that wait for changes of anything that can be waited for, and move from agent to agent with their index. */
export class WaitingReaders {
  readonly #env: Env
  readonly #plan: ReaderPlan
  readonly #world: ReaderWorld
  #round = 0

  constructor(env: Env, plan: ReaderPlan, world: ReaderWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    for (let reader = 0; reader < this.#plan.readers; reader++) this.#env.detach(this.#read(reader, this.#round))
  }

  /** Answers to waiting questions are ignored from now on. */
  stop(): void {
    this.#round++
  }

  async #read(reader: number, round: number): Promise<void> {
    const { name, queries } = this.#plan
    const query = queries[reader % queries.length] as string
    let [index, body] = [0, '']
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('readers', name, reader, round, nth)
      const agent = this.#world.server(draws)
      const answered = agent === undefined ? undefined : await this.#ask(agent, { query, index, body }, round, draws)
      // As the API tells its clients: if the index fell, begin anew, because another server may be behind.
      if (answered !== undefined) [index, body] = [answered.index < index ? 0 : answered.index, answered.body]
      await pause(this.#env, answered === undefined ? askAgainMs : drawnMs(draws, this.#plan.pauseMs))
    }
  }

  async #ask(
    agent: AskedAgent,
    { query, index, body }: Known & { readonly query: string },
    round: number,
    draws: Draws,
  ): Promise<Known | undefined> {
    const { consistencies } = this.#plan
    const { invariants, bootOf } = this.#world
    const consistency = consistencies[draws.below(consistencies.length)] ?? 'default'
    const isAhead = index > 0 && draws.below(aheadOneIn) === 0
    const waited = isAhead ? index + farAhead : index
    const waitMs = Math.round(drawnMs(draws, this.#plan.waitMs))
    const boot = bootOf(agent.name)
    const server = agent.isServer ? `${agent.name}, boot ${boot}` : undefined
    const asked = { query: this.#nameOf(query), agent: agent.name, server, consistency, waited, isAhead, waitMs }
    const read = invariants.of(waitingAnswers).began(asked)
    const how = consistency === 'default' ? '' : `&${consistency}`
    const path = this.#world.targetOf(query)
    const target = `${path}${path.includes('?') ? '&' : '?'}index=${waited}&wait=${waitMs}ms${how}`
    const headers = tokenHeaders(agent.endpoint.token)
    const request = { method: 'GET', target, timeoutMs: waitMs * 1.2 + answerSlackMs, headers }
    const answer = await this.#env.http.request(agent.endpoint, request)
    if (this.#round !== round) return undefined
    if (!answer.ok) {
      const hasGivenUp = answer.error.kind === 'timeout' && bootOf(agent.name) === boot
      if (hasGivenUp) invariants.tell('reader unanswered', { read })
      return undefined
    }
    const { status, headers: said } = answer.value
    const told = Number(headerSaid(said, 'index') ?? Number.NaN)
    const isStale = headerSaid(said, 'effective-consistency') === 'stale'
    if ((status !== 200 && status !== 404) || Number.isNaN(told) || bootOf(agent.name) !== boot) return undefined
    const isOld = consistency === 'stale' && mayBeOld(agent, knowsLeaderBy(said))
    const found = `${status} ${textOf(answer.value.body)}`
    const { token = '' } = agent.endpoint
    const isChanged = token === '' ? found !== body : hasOtherMembers(found, body)
    invariants.tell('reader answered', { read, index: told, isChanged, isStale, mayBeOld: isOld })
    const { name, isStill } = this.#plan
    if (isStill) invariants.tell('still answered', { query, token: name, agent: agent.name, index: told, body: found })
    return { index: told, body: found }
  }

  /** Answers to one query are compared only if they are for one token: the index depends on what it may see. */
  #nameOf(query: string): string {
    return this.#plan.token === undefined ? query : `${query} with ${this.#plan.token}`
  }
}

const consistency = z.enum(['default', 'consistent', 'stale'])

const readerGroup = z.strictObject({
  at: selector
    .optional()
    .describe('The agents to which they send; one is chosen for each request. All servers if absent.'),
  queries: z
    .array(
      template.refine(
        ({ text }) => /^\/v1\/(?!event\/list)/.test(text),
        'a target begins with /v1/; the index of /v1/event/list is no order',
      ),
    )
    .min(1)
    .describe(
      'What they read: targets of requests that can wait, such as /v1/health/service/web. One for each reader.',
    ),
  readers: z.int().min(1).max(1000).optional().describe('How many; as many as there are queries, if absent.'),
  consistency: z
    .union([consistency, z.array(consistency).min(1)])
    .default('default')
    .describe('One kind, or several of which one is drawn for each question.'),
  wait: durationRange.default({ min: 1_000, max: 6_000 }).describe('How long a question waits for a change.'),
  pause: durationRange.default({ min: 0, max: 200 }).describe('Between an answer and the next question.'),
  token: template.optional().describe('The token of their requests; none if absent.'),
  still: z
    .boolean()
    .default(false)
    .describe('Nothing changes that their token may see: every answer to a query must be the same, index included.'),
})

export const readers = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'readers are named with small letters'],
  group: readerGroup,
  text: 'Clients that read by blocking queries whatever can be waited for, and go from agent to agent with their index.',
  isLast: true,
  judgedBy: 'contact',
  crews: [
    {
      machine: 'readers',
      open: (group, { name, env, run }) => {
        const { wait: waitMs, pause: pauseMs, token, still: isStill } = group
        const consistencies = typeof group.consistency === 'string' ? [group.consistency] : group.consistency
        const queries = group.queries.map(({ text }) => text)
        const of = { name, queries, token: token?.text, readers: group.readers ?? queries.length, isStill }
        const targetOf = (query: string): string => run.filled(new Template(query))
        const world = { ...groupWorld(run, { at: group.at, token }), targetOf }
        return new WaitingReaders(env, { ...of, consistencies, waitMs, pauseMs }, world)
      },
    },
  ],
})

/** Whether two answers, each a status and a body, differ in more than the order of the members of a list. */
export function hasOtherMembers(one: string, other: string): boolean {
  return one !== other && inOneOrder(one) !== inOneOrder(other)
}

/** An answer that is no list, nor an object, is left as it is. */
function inOneOrder(answer: string): string {
  const at = answer.indexOf(' ') + 1
  const json = jsonIn(answer.slice(at))
  if (typeof json !== 'object' || json === null) return answer
  const members = Array.isArray(json) ? json : Object.entries(json)
  const texts = members.map((member) => JSON.stringify(member)).toSorted(compareText)
  return `${answer.slice(0, at)}${texts.join()}`
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
