import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { pause } from '../../../src/model/pause.ts'
import type { DefinedQuery, QueryBook } from '../../checkers/reads/query-book.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { drawnMs } from '../drawn-pause.ts'
import type { Crew } from '../kind.ts'
import type { Asking } from './http-questions.ts'
import { answerWithinMs } from './question.ts'

/** Names of queries, and prefixes of template names: one is a prefix of another, and the last one of every name. */
export const queryNames = ['q-one', 'q-two'] as const
export const templateNames = ['t-', 't-s', ''] as const
/** Captures a service and a tag: `t-shops-blue`, `shops-blue`. */
const regexp = '^(?:t-)?([a-z]+)-?(.*)$'

export interface EditorWorld {
  readonly draws: (nth: number) => Draws
  /** Undefined: no agent can be asked now. */
  readonly endpoint: (draws: Draws) => Endpoint | undefined
  readonly book: QueryBook
  readonly asking: Asking
  /** Nodes that a query may name as near. */
  readonly nodes: readonly string[]
  /** Another datacenter and a nonexistent one, to fail over to. */
  readonly others: readonly string[]
  readonly everyMs: { readonly min: number; readonly max: number }
}

/** Defines prepared queries, changes and deletes them, one request at a time. */
export class QueryEditors implements Crew {
  readonly #env: Env
  readonly #world: EditorWorld
  #round = 0
  #edits = 0

  constructor(env: Env, world: EditorWorld) {
    this.#env = env
    this.#world = world
  }

  start(): void {
    this.#round++
    this.#env.detach(this.#editAll(this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #editAll(round: number): Promise<void> {
    while (this.#round === round) {
      const draws = this.#world.draws(++this.#edits)
      const { everyMs } = this.#world
      // The first of each are created at once, so that there are queries to execute.
      const all = [...queryNames, ...templateNames]
      const isFirst = this.#edits <= all.length
      await pause(this.#env, isFirst ? everyMs.min : drawnMs(draws, everyMs))
      const name = isFirst ? all[this.#edits - 1] : all[draws.below(all.length)]
      if (this.#round === round && name !== undefined) await this.#edit(draws, name)
    }
  }

  async #edit(draws: Draws, name: string): Promise<void> {
    const { book, endpoint } = this.#world
    const to = endpoint(draws)
    const known = book.entry(name)
    if (to === undefined || typeof known === 'string') return
    const isGoing = known !== undefined && draws.below(4) === 0
    book.began(name)
    if (isGoing) {
      const answer = await this.#ask(to, 'DELETE', `/v1/query/${known.id}`)
      return book.ended(name, answer === undefined ? 'lost' : undefined)
    }
    const query = drawnQuery(draws, name, this.#world)
    const body = JSON.stringify(bodyOf(query))
    const answer =
      known === undefined
        ? await this.#ask(to, 'POST', '/v1/query', body)
        : await this.#ask(to, 'PUT', `/v1/query/${known.id}`, body)
    if (answer === undefined) return book.ended(name, 'lost')
    const id = known?.id ?? (JSON.parse(answer) as { readonly ID: string }).ID
    book.ended(name, { id, query })
  }

  /** The body of a successful answer; undefined: the request may or may not have taken effect. */
  async #ask(to: Endpoint, method: string, target: string, body = ''): Promise<string | undefined> {
    const answer = await this.#env.http.request(to, { method, target, timeoutMs: answerWithinMs, body: utf8(body) })
    return answer.ok && answer.value.status === 200 ? textOf(answer.value.body) : undefined
  }
}

function drawnQuery(draws: Draws, name: string, { asking, nodes, others }: EditorWorld): DefinedQuery {
  const { service, tags, nodeMeta } = asking
  const isTemplate = (templateNames as readonly string[]).includes(name)
  const tag = tags[draws.below(Math.max(1, tags.length))] ?? ''
  const pair = draws.below(2) === 0 ? nodeMeta[draws.below(Math.max(1, nodeMeta.length))] : undefined
  const [key = '', value = ''] = pair?.split(':') ?? []
  const near = ['', '_agent', '_ip', draws.oneOf(nodes, (each) => each) ?? ''][draws.below(4)] ?? ''
  const plainTags = [[], [], [tag], [`!${tag}`]][draws.below(4)] ?? []
  const template = { regexp, removeEmptyTags: draws.below(2) === 0 }
  return {
    name,
    template: isTemplate ? template : undefined,
    service: isTemplate ? '${match(1)}' : service,
    onlyPassing: draws.below(2) === 0,
    ignoredChecks: draws.below(3) === 0 ? ['_node_maintenance'] : [],
    near,
    tags: isTemplate ? ['${match(2)}'] : plainTags,
    nodeMeta: pair === undefined ? [] : [[key, value]],
    connect: draws.below(4) === 0,
    nearestN: draws.below(2),
    datacenters: draws.below(2) === 0 ? others : [],
    ttlS: draws.below(2) === 0 ? 1 + draws.below(60) : 0,
  }
}

function bodyOf(query: DefinedQuery): object {
  return {
    Name: query.name,
    ...(query.template === undefined
      ? {}
      : {
          Template: {
            Type: 'name_prefix_match',
            Regexp: query.template.regexp,
            RemoveEmptyTags: query.template.removeEmptyTags,
          },
        }),
    Service: {
      Service: query.service,
      OnlyPassing: query.onlyPassing,
      IgnoreCheckIDs: query.ignoredChecks,
      Near: query.near,
      Tags: query.tags,
      NodeMeta: Object.fromEntries(query.nodeMeta),
      Connect: query.connect,
      Failover: { NearestN: query.nearestN, Datacenters: query.datacenters },
    },
    DNS: { TTL: query.ttlS === 0 ? '' : `${query.ttlS}s` },
  }
}
