import { base64, textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { EventListing } from '../../checkers/events/event-facts.ts'
import { answerWithinMs } from '../asked-agents.ts'

/** An event, and the agents that it is for. Filters are regular expressions; empty ones match every agent. */
export interface EventWanted {
  readonly name: string
  readonly payload: string
  readonly node: string
  readonly service: string
  readonly tag: string
}

/** An event as text, equal for an event as fired and as listed. */
export function contentOf({ name, payload, node, service, tag }: EventWanted): string {
  return inWords(name, base64(utf8(payload)), node, service, tag)
}

function inWords(name: string, payload: string, node: string, service: string, tag: string): string {
  return `${name} ${payload} for nodes ${node || 'any'}, services ${service || 'any'}, tags ${tag || 'any'}`
}

interface EventRow {
  readonly ID: string
  readonly Name: string
  readonly Payload: string | null
  readonly NodeFilter: string
  readonly ServiceFilter: string
  readonly TagFilter: string
  readonly LTime: number
}

function headersOf(token: string | undefined): readonly [string, string][] {
  return token === undefined ? [] : [['X-Svc-Token', token]]
}

/** Fires and lists events, over the simulated network. */
export class EventClient {
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  /** Returns its ID; undefined: it may have been fired. */
  async fire(at: Endpoint, wanted: EventWanted): Promise<string | undefined> {
    return (await this.ask(at, wanted))?.id
  }

  /** The status of the answer, and the ID of an event that was fired. Undefined: there is no answer. */
  async ask(
    at: Endpoint,
    wanted: EventWanted,
    token?: string,
  ): Promise<{ readonly status: number; readonly id: string | undefined } | undefined> {
    const filters = (['node', 'service', 'tag'] as const).flatMap((key) =>
      wanted[key] === '' ? [] : [`${key}=${encodeURIComponent(wanted[key])}`],
    )
    const answer = await this.#env.http.request(at, {
      method: 'PUT',
      target: `/v1/event/fire/${wanted.name}${filters.length === 0 ? '' : `?${filters.join('&')}`}`,
      timeoutMs: answerWithinMs,
      headers: headersOf(token),
      body: utf8(wanted.payload),
    })
    if (!answer.ok) return undefined
    const { status, body } = answer.value
    return { status, id: status === 200 ? (JSON.parse(textOf(body)) as EventRow).ID : undefined }
  }

  /** `name` empty: all events. `wait`: until the index changes. Undefined: there is no answer. */
  async list(
    at: Endpoint,
    name: string,
    wait?: { readonly index: string; readonly waitMs: number },
    token?: string,
  ): Promise<Pick<EventListing, 'index' | 'events'> | undefined> {
    const parameters = [
      ...(name === '' ? [] : [`name=${name}`]),
      ...(wait === undefined ? [] : [`index=${wait.index}`, `wait=${wait.waitMs}ms`]),
    ]
    const answer = await this.#env.http.request(at, {
      method: 'GET',
      target: `/v1/event/list${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`,
      timeoutMs: answerWithinMs + (wait?.waitMs ?? 0),
      headers: headersOf(token),
    })
    const index = answer.ok ? answer.value.headers.get('x-svc-index') : undefined
    if (!answer.ok || answer.value.status !== 200 || index === undefined) return undefined
    const rows = JSON.parse(textOf(answer.value.body)) as readonly EventRow[]
    const events = rows.map(({ ID, Name, Payload, NodeFilter, ServiceFilter, TagFilter, LTime }) => ({
      id: ID,
      lamport: LTime,
      content: inWords(Name, Payload ?? '', NodeFilter, ServiceFilter, TagFilter),
    }))
    return { index, events }
  }
}
