import { emptyBytes } from '../../base/bytes.ts'
import type { GossipAddress, Message, QueryFilter } from '../core/messages.ts'
import { filtersMax, lamportMax, nameBytesMax, newsBytesMax, portMax, uint32Max } from './bounds.ts'
import { addressFrom, readHost } from './ip-bytes.ts'
import { filterType, upperType } from './message-types.ts'
import { ValueReader } from './value-reader.ts'

type Response = Extract<Message, { readonly kind: 'query-response' }>

const nanosecondsOfMs = 1_000_000

/** User events, queries and their answers; undefined if malformed, `ignored` if this agent has no use for the kind. */
export function readNews(type: number, from: ValueReader): Message | 'ignored' | undefined {
  switch (type) {
    case upperType.userEvent:
      return readUserEvent(from)
    case upperType.query:
      return readQuery(from)
    case upperType.queryResponse:
      return readResponse(from)
    case upperType.relay:
      return readRelay(from)
    default:
      return 'ignored'
  }
}

function readUserEvent(from: ValueReader): Message | undefined {
  const read = { lamport: 0, name: '', payload: emptyBytes, coalesce: false }
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'LTime') read.lamport = from.uint(lamportMax)
    else if (key === 'Name') read.name = from.text(nameBytesMax)
    else if (key === 'Payload') read.payload = from.raw(newsBytesMax)
    else if (key === 'CC') read.coalesce = from.bool()
    else from.skip()
  }
  return from.failed ? undefined : { kind: 'user-event', ...read }
}

function readQuery(from: ValueReader): Message | undefined {
  const read = {
    lamport: 0,
    id: 0,
    flags: 0,
    relayFactor: 0,
    timeoutMs: 0,
    name: '',
    payload: emptyBytes,
  }
  let [host, port] = ['', 0]
  let filters: QueryFilter[] = []
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'LTime') read.lamport = from.uint(lamportMax)
    else if (key === 'ID') read.id = from.uint(uint32Max)
    else if (key === 'Addr') host = readHost(from)
    else if (key === 'Port') port = from.uint(portMax)
    else if (key === 'Filters') filters = readFilters(from)
    else if (key === 'Flags') read.flags = from.uint(uint32Max)
    else if (key === 'RelayFactor') read.relayFactor = from.uint(255)
    else if (key === 'Timeout') read.timeoutMs = from.uint(lamportMax) / nanosecondsOfMs
    else if (key === 'Name') read.name = from.text(nameBytesMax)
    else if (key === 'Payload') read.payload = from.raw(newsBytesMax)
    else from.skip()
  }
  const address = addressFrom(host, port)
  return from.failed || address === undefined ? undefined : { kind: 'query', from: address, filters, ...read }
}

function readFilters(from: ValueReader): QueryFilter[] {
  const filters: QueryFilter[] = []
  const count = from.arrayHead()
  if (count > filtersMax) from.fail()
  for (let left = count; left > 0 && !from.failed; left--) filters.push(readFilter(from.raw(newsBytesMax)))
  return filters
}

/** Reads a filter. A malformed one counts as an unknown one: it matches no agent. */
function readFilter(bytes: Uint8Array): QueryFilter {
  const from = new ValueReader(bytes, 1)
  if (bytes[0] === filterType.nodes) {
    const names: string[] = []
    for (let left = from.arrayHead(); left > 0 && !from.failed; left--) names.push(from.text(nameBytesMax))
    if (!from.failed) return { kind: 'nodes', names }
  } else if (bytes[0] === filterType.tag) {
    const read = { tag: '', expression: '' }
    for (let left = from.fields(); left > 0 && !from.failed; left--) {
      const key = from.key()
      if (key === 'Tag') read.tag = from.text(nameBytesMax)
      else if (key === 'Expr') read.expression = from.text(newsBytesMax)
      else from.skip()
    }
    if (!from.failed) return { kind: 'tag', ...read }
  }
  return { kind: 'unknown', bytes }
}

function readResponse(from: ValueReader): Response | undefined {
  const read = { lamport: 0, id: 0, from: '', flags: 0, payload: emptyBytes }
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'LTime') read.lamport = from.uint(lamportMax)
    else if (key === 'ID') read.id = from.uint(uint32Max)
    else if (key === 'From') read.from = from.text(nameBytesMax)
    else if (key === 'Flags') read.flags = from.uint(uint32Max)
    else if (key === 'Payload') read.payload = from.raw(newsBytesMax)
    else from.skip()
  }
  return from.failed ? undefined : { kind: 'query-response', ...read }
}

/** Reads a message to be relayed. serf relays any message; anything but an answer to a query is ignored here. */
function readRelay(from: ValueReader): Message | 'ignored' | undefined {
  let to: GossipAddress | undefined
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    if (from.key() === 'DestAddr') to = readDestination(from)
    else from.skip()
  }
  if (from.failed || to === undefined) return undefined
  if (from.byte() !== upperType.queryResponse) return from.failed ? undefined : 'ignored'
  const response = readResponse(from)
  return response === undefined ? undefined : { kind: 'relay', to, response }
}

function readDestination(from: ValueReader): GossipAddress | undefined {
  let [host, port] = ['', 0]
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'IP') host = readHost(from)
    else if (key === 'Port') port = from.uint(portMax)
    else from.skip()
  }
  return addressFrom(host, port)
}
