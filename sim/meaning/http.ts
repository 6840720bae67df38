import { features } from '../../src/agent/assembly/features.ts'
import { textOfByteString } from '../../src/base/bytes.ts'
import { hideUuids } from '../../src/base/uuid.ts'
import type { RouteContext } from '../../src/features/contract/route-context.ts'
import { parseQuery } from '../../src/http/query-parameters.ts'
import { type RouteTable, routeTable } from '../../src/http/route-table.ts'
import { parseTarget, pathCharacters, percentDecode, percentEncode } from '../../src/http/target.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import { type HttpMessage, joinedHeaders, MessageReader } from '../env/http-frame.ts'
import { type About, cut, type Meaning, type Subject } from '../report/meaning.ts'
import { part, unknown } from './unknown.ts'

/** What kind of thing the end of a path, or a parameter, names. */
const subjectOf: Readonly<Record<string, Subject>> = {
  key: 'key',
  service: 'service',
  node: 'node',
  session: 'session',
  check: 'check',
  query: 'query',
  name: 'name',
  state: 'state',
  id: 'id',
}
const namingParameters = ['acquire', 'release'] as const

const table: RouteTable<RouteContext> = routeTable(features.flatMap((feature) => feature.routes ?? []))
/** The subject of one exchange on a connection; the next begins when it is over. */
interface Exchange {
  readonly method: string
  readonly target: string
  readonly about: About | undefined
}

/** Both directions of one connection: an answer belongs to the last request. */
export interface HttpConversation {
  last: Exchange | undefined
}

const headBytesMax = 64 << 10

/**
 * Whether bytes at the beginning of a connection may be HTTP, for ports of unknown protocol: those of web servers, and
 * of an external secrets manager. HTTP begins with the lengths of head and body, and the head with a method or a
 * status.
 */
export function looksLikeHttp(bytes: Uint8Array): boolean {
  if (bytes.length < 9) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = bytes[8] ?? 0
  const isStart = (first >= 0x30 && first <= 0x39) || (first >= 0x41 && first <= 0x5a)
  return isStart && view.getUint32(0) > 0 && view.getUint32(0) <= headBytesMax
}

/** One direction of a connection that carries HTTP, as `sim/env` frames it. */
export class HttpStream {
  readonly #conversation: HttpConversation
  readonly #reader = new MessageReader()
  #held = 0
  #broken = false

  constructor(conversation: HttpConversation) {
    this.#conversation = conversation
  }

  get held(): number {
    return this.#held
  }

  push(bytes: Uint8Array): readonly Meaning[] {
    if (this.#broken) return [unknown(bytes.length, 'it follows what is no HTTP')]
    const message = this.#reader.push(bytes)
    this.#held += bytes.length
    if (message === undefined) return [part('http', bytes.length, this.#held)]
    this.#held = 0
    if (message === 'malformed') {
      this.#broken = true
      return [unknown(bytes.length, 'it is no HTTP')]
    }
    return [this.#meaning(message)]
  }

  #meaning({ start, headers, body }: HttpMessage): Meaning {
    const conversation = this.#conversation
    if (start.length === 2) {
      const [method, target] = start
      const exchange = { method: cut(method), ...readTarget(target) }
      conversation.last = exchange
      return { layer: 'http', name: 'request', ...shown(exchange), bytes: body.length }
    }
    const { last } = conversation
    const index = Number(headerSaid(joinedHeaders(headers), 'index'))
    return {
      layer: 'http',
      name: 'answer',
      status: start[0],
      ...(last === undefined ? {} : shown(last)),
      ...(Number.isSafeInteger(index) && index >= 0 ? { index } : {}),
      bytes: body.length,
    }
  }
}

function shown({ method, target, about }: Exchange): { method: string; target: string; about?: About } {
  return about === undefined ? { method, target } : { method, target, about }
}

/** The subject of a target, by the routes of the agent; possible secrets are left out. IDs of sessions are shown. */
function readTarget(given: string): { readonly target: string; readonly about: About | undefined } {
  const parsed = parseTarget(given)
  if (!parsed.ok) return { target: '<unreadable>', about: undefined }
  const { path, rawQuery } = parsed.value
  const match = table.match(path)
  const about = new Map<Subject, string>()
  let shownPath = percentEncode(path, pathCharacters)
  if (match.kind === 'route') {
    const { rest, path: routePath } = match.mounted.route
    const subject = rest === undefined ? undefined : subjectOf[rest.name]
    if (rest?.secret === true && subject !== 'session') shownPath = `${routePath}<hidden>`
    else if (subject !== undefined && match.rest !== '') about.set(subject, cut(textOfByteString(match.rest)))
  } else shownPath = hideUuids(shownPath)
  const query = parseQuery(rawQuery)
  if (query.ok) {
    for (const name of namingParameters) {
      const value = query.value.get(name)
      if (value !== undefined && value !== '') about.set('session', cut(value))
    }
  }
  const pieces = rawQuery.split(/([&;])/).map(shownPiece)
  const target = cut(rawQuery === '' ? shownPath : `${shownPath}?${pieces.join('')}`)
  return { target, about: about.size === 0 ? undefined : Object.fromEntries(about) }
}

/** A parameter as it was sent, without its value if it is a token, however its name is written. */
function shownPiece(piece: string): string {
  const name = percentDecode(piece.split('=', 1).join(''), true)
  return name === undefined || name.toLowerCase() === 'token' ? 'token=<hidden>' : piece
}
