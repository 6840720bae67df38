import type { Message, Versions } from '../core/messages.ts'
import { addressBytes } from './ip-bytes.ts'
import { lowerType, upperType } from './message-types.ts'
import { writeNews } from './news-encoder.ts'
import { numberField, rawField, textField, type ValueWriter } from './value-writer.ts'

/** One message with its type byte. Fields stand in order of their names, as the field's own encoder writes them. */
export function writeMessage(to: ValueWriter, message: Message): void {
  switch (message.kind) {
    case 'ping':
      return writePing(to, message.sequence, message.node)
    case 'indirect-ping':
      return writeIndirectPing(to, message)
    case 'ack':
      return writeAck(to, message.sequence, message.payload)
    case 'nack':
      to.byte(lowerType.nack)
      to.mapHead(1)
      return numberField(to, 'SeqNo', message.sequence)
    case 'suspect':
    case 'dead':
      return writeAccusation(to, message)
    case 'alive':
      return writeAlive(to, message)
    case 'leave-intent':
    case 'join-intent':
      return writeIntent(to, message)
    default:
      to.byte(lowerType.user)
      return writeNews(to, message)
  }
}

export function writePing(to: ValueWriter, sequence: number, node: string): void {
  to.byte(lowerType.ping)
  to.mapHead(2)
  textField(to, 'Node', node)
  numberField(to, 'SeqNo', sequence)
}

/** An empty payload is encoded as nil, as the field encodes an absent slice of bytes. */
export function writeAck(to: ValueWriter, sequence: number, payload: Uint8Array): void {
  to.byte(lowerType.ack)
  to.mapHead(2)
  to.text('Payload')
  if (payload.length === 0) to.nil()
  else to.raw(payload)
  numberField(to, 'SeqNo', sequence)
}

/** Encodes six numbers below 256, which the field's encoder treats as bytes. */
export function versionBytes(versions: Versions): Uint8Array {
  const { protocolMin, protocolMax, protocolSpoken, delegateMin, delegateMax, delegateSpoken } = versions
  return Uint8Array.of(protocolMin, protocolMax, protocolSpoken, delegateMin, delegateMax, delegateSpoken)
}

function writeIndirectPing(to: ValueWriter, message: Extract<Message, { kind: 'indirect-ping' }>): void {
  to.byte(lowerType.indirectPing)
  to.mapHead(5)
  to.text('Nack')
  to.bool(message.nack)
  textField(to, 'Node', message.node)
  numberField(to, 'Port', message.target.port)
  numberField(to, 'SeqNo', message.sequence)
  rawField(to, 'Target', addressBytes(message.target))
}

function writeAccusation(to: ValueWriter, message: Extract<Message, { kind: 'suspect' | 'dead' }>): void {
  to.byte(message.kind === 'suspect' ? lowerType.suspect : lowerType.dead)
  to.mapHead(3)
  textField(to, 'From', message.from)
  numberField(to, 'Incarnation', message.incarnation)
  textField(to, 'Node', message.node)
}

function writeAlive(to: ValueWriter, message: Extract<Message, { kind: 'alive' }>): void {
  to.byte(lowerType.alive)
  to.mapHead(6)
  rawField(to, 'Addr', addressBytes(message.address))
  numberField(to, 'Incarnation', message.incarnation)
  rawField(to, 'Meta', message.meta)
  textField(to, 'Node', message.node)
  numberField(to, 'Port', message.address.port)
  rawField(to, 'Vsn', versionBytes(message.versions))
}

function writeIntent(to: ValueWriter, message: Extract<Message, { kind: 'leave-intent' | 'join-intent' }>): void {
  const leaves = message.kind === 'leave-intent'
  to.byte(lowerType.user)
  to.byte(leaves ? upperType.leave : upperType.join)
  to.mapHead(leaves ? 3 : 2)
  numberField(to, 'LTime', message.lamport)
  textField(to, 'Node', message.node)
  if (!leaves) return
  to.text('Prune')
  to.bool(message.prune)
}
