import type { Member } from '../pool.ts'
import { lamportMax, nameBytesMax, newsBytesMax } from './bounds.ts'
import { addressBytes, readHost } from './ip-bytes.ts'
import { upperType } from './message-types.ts'
import { ValueReader } from './value-reader.ts'
import { bytesField, numberField, rawField, textField, ValueWriter } from './value-writer.ts'

/** Queries that members ask on behalf of the pool itself. Source: serf, internal queries. */
export const internalQuery = {
  ping: '_serf_ping',
  conflict: '_serf_conflict',
  install: '_serf_install-key',
  use: '_serf_use-key',
  remove: '_serf_remove-key',
  list: '_serf_list-keys',
} as const

/** A member's answer to a key request. `keys` are in base64, and only for `list`. */
export interface KeyResponse {
  readonly result: boolean
  readonly message: string
  readonly keys: readonly string[]
}

/** Encodes a key request; `list` has no key. */
export function encodeKeyRequest(key: Uint8Array): Uint8Array {
  const writer = new ValueWriter(48)
  writer.byte(upperType.keyRequest)
  writer.mapHead(1)
  bytesField(writer, 'Key', key)
  return writer.take()
}

export function decodeKeyRequest(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] !== upperType.keyRequest) return undefined
  const from = new ValueReader(bytes, 1)
  let key = new Uint8Array(0)
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    if (from.key() === 'Key') key = Uint8Array.from(from.raw(64))
    else from.skip()
  }
  return from.failed ? undefined : key
}

export function encodeKeyResponse({ result, message, keys }: KeyResponse): Uint8Array {
  const writer = new ValueWriter(128)
  writer.byte(upperType.keyResponse)
  writer.mapHead(3)
  writer.text('Keys')
  if (keys.length === 0) writer.nil()
  else {
    writer.arrayHead(keys.length)
    for (const key of keys) writer.text(key)
  }
  textField(writer, 'Message', message)
  writer.text('Result')
  writer.bool(result)
  return writer.take()
}

export function decodeKeyResponse(bytes: Uint8Array): KeyResponse | undefined {
  if (bytes[0] !== upperType.keyResponse) return undefined
  const from = new ValueReader(bytes, 1)
  const read = { result: false, message: '' }
  const keys: string[] = []
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Result') read.result = from.bool()
    else if (key === 'Message') read.message = from.text(newsBytesMax)
    else if (key === 'Keys') for (let n = from.arrayHead(); n > 0 && !from.failed; n--) keys.push(from.text(64))
    else from.skip()
  }
  return from.failed ? undefined : { ...read, keys }
}

/** Numbers of statuses. Source: serf, `MemberStatus`. */
const statusNumber = { alive: 1, leaving: 2, left: 3, failed: 4 } as const

/** The holder of a name, as the asked member knows it; undefined: no member has it. */
export function encodeConflictResponse(member: Member | undefined): Uint8Array {
  const writer = new ValueWriter(256)
  writer.byte(upperType.conflictResponse)
  if (member === undefined) {
    writer.nil()
    return writer.take()
  }
  const { name, endpoint, tags, status, versions } = member
  writer.mapHead(11)
  rawField(writer, 'Addr', addressBytes(endpoint))
  numberField(writer, 'DelegateCur', versions.delegateSpoken)
  numberField(writer, 'DelegateMax', versions.delegateMax)
  numberField(writer, 'DelegateMin', versions.delegateMin)
  textField(writer, 'Name', name)
  numberField(writer, 'Port', endpoint.port)
  numberField(writer, 'ProtocolCur', versions.protocolSpoken)
  numberField(writer, 'ProtocolMax', versions.protocolMax)
  numberField(writer, 'ProtocolMin', versions.protocolMin)
  numberField(writer, 'Status', statusNumber[status])
  writer.text('Tags')
  const entries = Object.entries(tags)
  writer.mapHead(entries.length)
  for (const [key, value] of entries) textField(writer, key, value)
  return writer.take()
}

/**
 * The address at which the asked member knows the name to be alive; undefined if at none, or if the bytes are
 * malformed.
 */
export function decodeConflictResponse(
  bytes: Uint8Array,
): { readonly host: string; readonly port: number } | undefined {
  if (bytes[0] !== upperType.conflictResponse) return undefined
  const from = new ValueReader(bytes, 1)
  const read = { host: '', port: 0, status: 0 }
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Addr') read.host = readHost(from)
    else if (key === 'Port') read.port = from.uint(65_535)
    else if (key === 'Status') read.status = from.uint(lamportMax)
    else if (key === 'Name') from.text(nameBytesMax)
    else from.skip()
  }
  const { host, port, status } = read
  return from.failed || host === '' || port === 0 || status !== statusNumber.alive ? undefined : { host, port }
}
