import type { Message, QueryFilter } from '../core/messages.ts'
import { addressBytes } from './ip-bytes.ts'
import { filterType, upperType } from './message-types.ts'
import { bytesField, numberField, rawField, textField, ValueWriter } from './value-writer.ts'

type News = Extract<Message, { readonly kind: 'user-event' | 'query' | 'query-response' | 'relay' }>
type Of<K extends News['kind']> = Extract<News, { readonly kind: K }>

const nanosecondsOfMs = 1_000_000

/** Encodes user events, queries and their answers, from the upper layer's type byte on. */
export function writeNews(to: ValueWriter, message: News): void {
  switch (message.kind) {
    case 'user-event':
      return writeUserEvent(to, message)
    case 'query':
      return writeQuery(to, message)
    case 'query-response':
      return writeResponse(to, message)
    case 'relay':
      return writeRelay(to, message)
    default:
      message satisfies never
  }
}

function writeUserEvent(to: ValueWriter, { lamport, name, payload, coalesce }: Of<'user-event'>): void {
  to.byte(upperType.userEvent)
  to.mapHead(4)
  to.text('CC')
  to.bool(coalesce)
  numberField(to, 'LTime', lamport)
  textField(to, 'Name', name)
  bytesField(to, 'Payload', payload)
}

function writeQuery(to: ValueWriter, query: Of<'query'>): void {
  to.byte(upperType.query)
  to.mapHead(10)
  rawField(to, 'Addr', addressBytes(query.from))
  to.text('Filters')
  if (query.filters.length === 0) to.nil()
  else {
    to.arrayHead(query.filters.length)
    for (const filter of query.filters) to.raw(filterBytes(filter))
  }
  numberField(to, 'Flags', query.flags)
  numberField(to, 'ID', query.id)
  numberField(to, 'LTime', query.lamport)
  textField(to, 'Name', query.name)
  bytesField(to, 'Payload', query.payload)
  numberField(to, 'Port', query.from.port)
  numberField(to, 'RelayFactor', query.relayFactor)
  numberField(to, 'Timeout', Math.round(query.timeoutMs * nanosecondsOfMs))
}

function filterBytes(filter: QueryFilter): Uint8Array {
  if (filter.kind === 'unknown') return filter.bytes
  const writer = new ValueWriter(64)
  if (filter.kind === 'nodes') {
    writer.byte(filterType.nodes)
    writer.arrayHead(filter.names.length)
    for (const name of filter.names) writer.text(name)
  } else {
    writer.byte(filterType.tag)
    writer.mapHead(2)
    textField(writer, 'Expr', filter.expression)
    textField(writer, 'Tag', filter.tag)
  }
  return writer.take()
}

function writeResponse(to: ValueWriter, { lamport, id, from, flags, payload }: Of<'query-response'>): void {
  to.byte(upperType.queryResponse)
  to.mapHead(5)
  numberField(to, 'Flags', flags)
  textField(to, 'From', from)
  numberField(to, 'ID', id)
  numberField(to, 'LTime', lamport)
  bytesField(to, 'Payload', payload)
}

function writeRelay(to: ValueWriter, { to: whom, response }: Of<'relay'>): void {
  to.byte(upperType.relay)
  to.mapHead(1)
  to.text('DestAddr')
  to.mapHead(3)
  rawField(to, 'IP', addressBytes(whom))
  numberField(to, 'Port', whom.port)
  textField(to, 'Zone', '')
  writeResponse(to, response)
}
