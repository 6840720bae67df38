import { emptyBytes } from '../../base/bytes.ts'
import { byteAt } from '../../base/items.ts'
import { metaBytesMax } from '../core/bounds.ts'
import type { GossipAddress, Message, Versions } from '../core/messages.ts'
import { lamportMax, nameBytesMax, payloadBytesMax, portMax, uint32Max } from './bounds.ts'
import { addressFrom, readHost } from './ip-bytes.ts'
import { lowerType, upperType } from './message-types.ts'
import { readNews } from './news-decoder.ts'
import type { ValueReader } from './value-reader.ts'

/**
 * The message of this type that begins at the reader; undefined if it is malformed, and `ignored` if this agent has no
 * use for it. As in the field, unknown fields are skipped and absent ones are zero; a message without a name or an
 * address is malformed.
 */
export function readMessage(type: number, from: ValueReader): Message | 'ignored' | undefined {
  const message = readKnown(type, from)
  return from.failed ? undefined : message
}

function readKnown(type: number, from: ValueReader): Message | 'ignored' | undefined {
  switch (type) {
    case lowerType.ping:
      return { kind: 'ping', ...readPing(from) }
    case lowerType.indirectPing:
      return readIndirectPing(from)
    case lowerType.ack:
      return readAck(from)
    case lowerType.nack:
      return { kind: 'nack', sequence: readPing(from).sequence }
    case lowerType.suspect:
      return readAccusation('suspect', from)
    case lowerType.dead:
      return readAccusation('dead', from)
    case lowerType.alive:
      return readAlive(from)
    default:
      return undefined
  }
}

/** The content of a `user` message, after its own type byte. */
export function readUpperMessage(type: number, from: ValueReader): Message | 'ignored' | undefined {
  if (type !== upperType.leave && type !== upperType.join) return readNews(type, from)
  let lamport = 0
  let node = ''
  let prune = false
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'LTime') lamport = from.uint(lamportMax)
    else if (key === 'Node') node = from.text(nameBytesMax)
    else if (key === 'Prune') prune = from.bool()
    else from.skip()
  }
  if (from.failed || node === '') return undefined
  if (type === upperType.join) return { kind: 'join-intent', lamport, node }
  return { kind: 'leave-intent', lamport, node, prune }
}

export function readPing(from: ValueReader): { readonly sequence: number; readonly node: string } {
  let sequence = 0
  let node = ''
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'SeqNo') sequence = from.uint(uint32Max)
    else if (key === 'Node') node = from.text(nameBytesMax)
    else from.skip()
  }
  return { sequence, node }
}

export function readAck(from: ValueReader): Extract<Message, { kind: 'ack' }> {
  let sequence = 0
  let payload: Uint8Array = emptyBytes
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'SeqNo') sequence = from.uint(uint32Max)
    else if (key === 'Payload') payload = from.raw(payloadBytesMax)
    else from.skip()
  }
  return { kind: 'ack', sequence, payload }
}

function readIndirectPing(from: ValueReader): Message | undefined {
  const read = { sequence: 0, node: '', host: '', port: 0, nack: false }
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'SeqNo') read.sequence = from.uint(uint32Max)
    else if (key === 'Node') read.node = from.text(nameBytesMax)
    else if (key === 'Target') read.host = readHost(from)
    else if (key === 'Port') read.port = from.uint(portMax)
    else if (key === 'Nack') read.nack = from.bool()
    else from.skip()
  }
  const { sequence, node, nack } = read
  const target = addressFrom(read.host, read.port)
  return target === undefined ? undefined : { kind: 'indirect-ping', sequence, target, node, nack }
}

function readAccusation(kind: 'suspect' | 'dead', from: ValueReader): Message | undefined {
  const read = { incarnation: 0, node: '', from: '' }
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Incarnation') read.incarnation = from.uint(uint32Max)
    else if (key === 'Node') read.node = from.text(nameBytesMax)
    else if (key === 'From') read.from = from.text(nameBytesMax)
    else from.skip()
  }
  return read.node === '' ? undefined : { kind, ...read }
}

function readAlive(from: ValueReader): Message | undefined {
  const read = readNode(from)
  if (read === undefined) return undefined
  const { incarnation, node, address, meta, versions } = read
  return { kind: 'alive', incarnation, node, address, meta, versions }
}

/** The fields that `alive` and a node of a state exchange share. `state` is the number on the wire. */
interface NodeFields {
  readonly incarnation: number
  readonly node: string
  readonly address: GossipAddress
  readonly meta: Uint8Array
  readonly versions: Versions
  readonly state: number
}

/** A node's name, under either name of its field; undefined if it is malformed. */
export function readNode(from: ValueReader): NodeFields | undefined {
  const read = { incarnation: 0, node: '', host: '', port: 0, meta: emptyBytes, state: 0 }
  let versions: Versions | undefined
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Incarnation') read.incarnation = from.uint(uint32Max)
    else if (key === 'Node' || key === 'Name') read.node = from.text(nameBytesMax)
    else if (key === 'Addr') read.host = readHost(from)
    else if (key === 'Port') read.port = from.uint(portMax)
    else if (key === 'Meta') read.meta = from.raw(metaBytesMax)
    else if (key === 'State') read.state = from.uint(255)
    else if (key === 'Vsn') versions = readVersions(from)
    else from.skip()
  }
  const address = addressFrom(read.host, read.port)
  if (from.failed || read.node === '' || address === undefined || versions === undefined) return undefined
  const { incarnation, node, meta, state } = read
  return { incarnation, node, address, meta, versions, state }
}

function readVersions(from: ValueReader): Versions | undefined {
  const bytes = from.rawView(255)
  if (bytes.length < 6) return undefined
  const at = (index: number): number => byteAt(bytes, index)
  return {
    protocolMin: at(0),
    protocolMax: at(1),
    protocolSpoken: at(2),
    delegateMin: at(3),
    delegateMax: at(4),
    delegateSpoken: at(5),
  }
}
