import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import { pause } from '../../src/model/pause.ts'
import type { Tell } from '../checkers/checker.ts'
import type { IntentionChange, IntentionDecision } from '../checkers/intentions/intention-facts.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { type AskedAgent, answerWithinMs } from './asked-agents.ts'
import { tokenHeaders } from './key-client.ts'

/** What a group does, with all defaults applied. */
export interface IntentionPlan {
  readonly name: string
  readonly names: readonly string[]
  readonly authors: number
  readonly askers: number
  /** Rate of all changes together, and rate of all decisions. */
  readonly changesPerSecond: number
  readonly questionsPerSecond: number
  /** The trust domain of the mesh. */
  readonly domain: string
}

export interface IntentionWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  readonly tell: Tell
}

/** Above this number of intentions, one is deleted rather than created. */
const heldMax = 10
/** One creation or change in this many has an invalid action. */
const wrongOneIn = 8
const otherNamespaceOneIn = 5
const anyNameOneIn = 4
const everythingOneIn = 12
const otherCaseOneIn = 8

const refusals = /duplicate intention found|non-existent intention|must be set to/

type Change = Pick<IntentionChange, 'kind' | 'id' | 'wanted'>
type Told = Pick<IntentionDecision, 'isAllowed' | 'ageS'>

/** Clients that create, change and delete intentions, and clients that ask for the resulting decisions. */
export class IntentionClients {
  readonly #env: Env
  readonly #plan: IntentionPlan
  readonly #world: IntentionWorld
  /** IDs of acknowledged intentions that were not deleted since. */
  readonly #made = new Set<string>()
  #open = 0
  #round = 0

  constructor(env: Env, plan: IntentionPlan, world: IntentionWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    const { authors, askers, changesPerSecond, questionsPerSecond } = this.#plan
    const round = ++this.#round
    for (let nth = 0; nth < authors; nth++)
      this.#env.detach(this.#author(nth, round, (1000 * authors) / changesPerSecond))
    for (let nth = 0; nth < askers; nth++)
      this.#env.detach(this.#asker(nth, round, (1000 * askers) / questionsPerSecond))
  }

  stop(): void {
    this.#round++
  }

  openRequests(): readonly string[] {
    return this.#open === 0 ? [] : [`${this.#plan.name} changes intentions`]
  }

  async #author(author: number, round: number, periodMs: number): Promise<void> {
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#draws('authors', author, round, nth)
      await pause(this.#env, periodMs * (0.5 + draws.fraction()))
      const agent = this.#world.agent(draws)
      if (this.#round !== round || agent === undefined || !this.#world.decisions.happens(draws)) continue
      const change = this.#drawnChange(draws, `${this.#plan.name}-${author}.${round}.${nth}`)
      this.#world.decisions.tell(draws, () => `intention ${change.kind} ${author}.${round}.${nth}`)
      this.#open++
      await this.#change(agent, change)
      this.#open--
    }
  }

  #drawnChange(draws: Draws, description: string): Change {
    const made = [...this.#made]
    const id = made[draws.below(Math.max(1, made.length))]
    const kind = draws.below(10)
    const isCreated = id === undefined || (kind < 5 && made.length < heldMax)
    if (!isCreated && kind >= 8) return { kind: 'delete', id, wanted: undefined }
    const [source, destination] = [this.#drawnEnd(draws), this.#drawnEnd(draws)]
    const action = draws.below(2) === 0 ? 'allow' : 'deny'
    const isWrong = draws.below(wrongOneIn) === 0
    const wanted = { source, destination, action: isWrong ? 'perhaps' : action, description } as const
    return isCreated ? { kind: 'create', id: '', wanted } : { kind: 'update', id, wanted }
  }

  #drawnEnd(draws: Draws): string {
    if (draws.below(everythingOneIn) === 0) return '*/*'
    const name = draws.below(anyNameOneIn) === 0 ? '*' : this.#drawnName(draws)
    return `${draws.below(otherNamespaceOneIn) === 0 ? 'other' : 'default'}/${name}`
  }

  #drawnName(draws: Draws): string {
    const { names } = this.#plan
    const name = names[draws.below(names.length)] ?? ''
    return draws.below(otherCaseOneIn) === 0 ? name.toUpperCase() : name
  }

  async #change(agent: AskedAgent, change: Change): Promise<void> {
    const { kind, id, wanted } = change
    const calledUs = this.#world.nowUs()
    const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[kind]
    const target = `/v1/connect/intentions${kind === 'create' ? '' : `/${id}`}`
    const answer = await this.#ask(agent, method, target, wanted === undefined ? undefined : bodyOf(wanted))
    const isDone = answer?.status === 200
    // With any other answer, the outcome stays open.
    if (answer === undefined || !(isDone || refusals.test(answer.body))) return
    const given = kind === 'create' && isDone ? (JSON.parse(answer.body) as { readonly ID: string }).ID : id
    if (isDone && kind !== 'delete') this.#made.add(given)
    else if (isDone || answer.body.includes('non-existent')) this.#made.delete(id)
    const refusal = answer.body.includes('duplicate intention found') ? 'duplicate' : 'refused'
    const outcome = isDone ? 'done' : refusal
    const endedUs = this.#world.nowUs()
    const told = { ...change, agent: agent.name, id: given, outcome, calledUs, endedUs } as const
    this.#world.tell('intention answered', told)
  }

  async #asker(asker: number, round: number, periodMs: number): Promise<void> {
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#draws('askers', asker, round, nth)
      await pause(this.#env, periodMs * (0.5 + draws.fraction()))
      const agent = this.#world.agent(draws)
      if (this.#round !== round || agent === undefined) continue
      const [source, destination] = [this.#drawnService(draws), `default/${this.#drawnName(draws)}`]
      const isKept = draws.below(2) === 0 && agent.endpoint.datacenter === undefined
      const calledUs = this.#world.nowUs()
      const told = isKept
        ? await this.#authorize(agent, source, destination)
        : await this.#check(agent, source, destination)
      if (told === undefined) continue
      const how = isKept ? 'authorize' : 'check'
      const endedUs = this.#world.nowUs()
      this.#world.tell('intention decided', {
        agent: agent.name,
        how,
        source,
        destination,
        ...told,
        calledUs,
        endedUs,
      })
    }
  }

  #drawnService(draws: Draws): string {
    return `${draws.below(otherNamespaceOneIn) === 0 ? 'other' : 'default'}/${this.#drawnName(draws)}`
  }

  async #check(agent: AskedAgent, source: string, destination: string): Promise<Told | undefined> {
    const target = `/v1/connect/intentions/check?source=${source}&destination=${destination}`
    const answer = await this.#ask(agent, 'GET', target)
    if (answer?.status !== 200) return undefined
    return { isAllowed: (JSON.parse(answer.body) as { readonly Allowed: boolean }).Allowed }
  }

  async #authorize(agent: AskedAgent, source: string, destination: string): Promise<Told | undefined> {
    const [namespace, name] = source.split('/')
    const answer = await this.#ask(agent, 'POST', '/v1/agent/connect/authorize', {
      Target: destination.split('/')[1],
      ClientCertURI: `spiffe://${this.#plan.domain}/ns/${namespace}/dc/dc1/svc/${name}`,
    })
    if (answer?.status !== 200) return undefined
    const { Authorized: isAllowed } = JSON.parse(answer.body) as { readonly Authorized: boolean }
    return { isAllowed, ageS: answer.age === undefined ? undefined : Number(answer.age) }
  }

  async #ask(
    { endpoint }: AskedAgent,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: string; readonly age: string | undefined } | undefined> {
    const place = endpoint.datacenter === undefined ? '' : `${path.includes('?') ? '&' : '?'}dc=${endpoint.datacenter}`
    const answer = await this.#env.http.request(endpoint, {
      method,
      target: `${path}${place}`,
      timeoutMs: answerWithinMs,
      headers: tokenHeaders(endpoint.token),
      ...(body === undefined ? {} : { body: utf8(JSON.stringify(body)) }),
    })
    if (!answer.ok) return undefined
    const { status, body: told, headers } = answer.value
    return { status, body: textOf(told), age: headers.get('age') }
  }

  #draws(what: string, client: number, round: number, nth: number): Draws {
    return this.#world.decisions.draws('intentions', this.#plan.name, what, client, round, nth)
  }
}

function bodyOf({ source, destination, action, description }: NonNullable<Change['wanted']>): object {
  const [SourceNS, SourceName] = source.split('/')
  const [DestinationNS, DestinationName] = destination.split('/')
  return { SourceNS, SourceName, DestinationNS, DestinationName, Action: action, Description: description }
}
