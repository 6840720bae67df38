import { raftTopicPrefix } from '../../src/agent/replication/raft-link.ts'
import { readRequest } from '../../src/agent/requests/request.ts'
import { isList, isRecord } from '../../src/base/shape.ts'
import { failureText } from '../../src/model/failure.ts'
import { failureFromWire } from '../../src/rpc/failure-codec.ts'
import type { Frame } from '../../src/rpc/frame.ts'
import { FrameReader } from '../../src/rpc/frame-reader.ts'
import { type About, cut, type Meaning } from '../report/meaning.ts'
import { aboutOf } from './about.ts'
import { raftMeaning } from './raft.ts'
import { part, unknown } from './unknown.ts'

/**
 * Maximum number of requests of one direction without an answer; the oldest are forgotten first. Connections have at
 * most some thousand.
 */
const askedMax = 8_192

/** What is remembered of a request until it is answered. */
interface Asked {
  readonly method: string
  readonly about: About | undefined
}

/** Requests under way in one direction, by their number, which is all that answers in the other direction name. */
export class AskedRequests {
  readonly #byId = new Map<number, Asked>()

  add(id: number, asked: Asked): void {
    this.#byId.set(id, asked)
    if (this.#byId.size <= askedMax) return
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest)
      return
    }
  }

  answered(id: number): Asked | undefined {
    const asked = this.#byId.get(id)
    this.#byId.delete(id)
    return asked
  }
}

/** One direction of a connection between agents. */
export class RpcStream {
  readonly #reader = new FrameReader({ awaitsAnswers: () => true })
  /** The requests of this direction, or those that it answers. */
  readonly #asked: AskedRequests
  readonly #answers: AskedRequests
  #held = 0
  #broken: string | undefined

  constructor(asked: AskedRequests, answers: AskedRequests) {
    this.#asked = asked
    this.#answers = answers
  }

  get held(): number {
    return this.#held
  }

  push(bytes: Uint8Array): readonly Meaning[] {
    if (this.#broken !== undefined) return [unknown(bytes.length, this.#broken)]
    const means: Meaning[] = []
    const read = this.#reader.push(bytes, (frame) => means.push(this.#meaning(frame)))
    if (!read.ok) {
      this.#broken = read.error
      this.#held = 0
      means.push(unknown(bytes.length, read.error))
      return means
    }
    this.#held = this.#reader.held
    return means.length > 0 ? means : [part('rpc', bytes.length, this.#held)]
  }

  #meaning(frame: Frame): Meaning {
    const layer = 'rpc'
    switch (frame.kind) {
      case 'hello': {
        const { protocol, nodeId, nodeName, datacenter, address } = frame.hello
        return { layer, name: 'hello', node: nodeName, id: nodeId, datacenter, address, protocol }
      }
      case 'request':
        return this.#request(frame.id, frame.method, frame.body)
      case 'answer':
        return answerMeaning(frame.id, frame.body, this.#answers.answered(frame.id))
      case 'failure': {
        const failure = failureFromWire(frame.failure)
        const text = cut(failureText(failure))
        return {
          layer,
          name: 'failure',
          id: frame.id,
          ...named(this.#answers.answered(frame.id)),
          failure: failure.kind,
          text,
        }
      }
      case 'cancel': {
        const method = this.#asked.answered(frame.id)?.method
        return { layer, name: 'cancel', id: frame.id, ...(method === undefined ? {} : { method }) }
      }
      case 'notice':
        if (frame.topic.startsWith(raftTopicPrefix)) return raftMeaning(frame.bytes)
        return { layer, name: 'notice', topic: cut(frame.topic), bytes: frame.bytes.length }
      case 'ping':
      case 'pong':
        return { layer, name: frame.kind }
    }
  }

  #request(id: number, given: string, body: unknown): Meaning {
    const method = cut(given)
    const request = readRequest(body)
    const about = aboutOf(method, request?.args)
    this.#asked.add(id, { method, about })
    const { read, identity } = request ?? {}
    return {
      layer: 'rpc',
      name: 'request',
      id,
      ...named({ method, about }),
      ...(read === undefined ? {} : { consistency: read.consistency }),
      ...(read === undefined || read.minIndex === 0 ? {} : { minIndex: read.minIndex }),
      ...(identity === undefined ? {} : { identity: `${identity.origin}/${identity.sequence}` }),
    }
  }
}

function named(asked: Asked): { method: string; about?: About }
function named(asked: Asked | undefined): { method?: string; about?: About }
function named(asked: Asked | undefined): { method?: string; about?: About } {
  if (asked === undefined) return {}
  const { method, about } = asked
  return about === undefined ? { method } : { method, about }
}

function answerMeaning(id: number, body: unknown, asked: Asked | undefined): Meaning {
  const meta = isRecord(body) ? body['meta'] : undefined
  const index = isRecord(meta) ? meta['index'] : undefined
  const value = isRecord(meta) && isRecord(body) ? body['value'] : body
  return {
    layer: 'rpc',
    name: 'answer',
    id,
    ...named(asked),
    ...(typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? { index } : {}),
    outcome: outcomeOf(value),
  }
}

/**
 * The size of an answer, in a word or two, but not its content: values may be large, and texts may be secrets, such as
 * the ID of a legacy token.
 */
function outcomeOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return `${value.length} characters`
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (isList(value)) return value.length === 1 ? '1 row' : `${value.length} rows`
  const kind = isRecord(value) ? value['kind'] : undefined
  return typeof kind === 'string' ? cut(kind) : 'one'
}
