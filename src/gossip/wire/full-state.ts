import { concatBytes, emptyBytes } from '../../base/bytes.ts'
import type { FullState, HeardEvents, NodeState } from '../core/messages.ts'
import { lamportMax, nameBytesMax, newsBytesMax, stateEventsMax, stateNodesMax, streamBytesMax } from './bounds.ts'
import { addressBytes } from './ip-bytes.ts'
import { readNode } from './message-decoder.ts'
import { versionBytes } from './message-encoder.ts'
import { lowerType, stateNumber, upperType } from './message-types.ts'
import { type Sliced, wholly } from './sliced.ts'
import { ValueReader, ValueScanner } from './value-reader.ts'
import { bytesField, numberField, rawField, textField, ValueWriter } from './value-writer.ts'

/** The part of a state exchange before its nodes. */
export interface StateHead {
  readonly nodes: number
  /** Size of the upper layer's part, after the nodes, in bytes. */
  readonly upperBytes: number
  readonly join: boolean
}

/** Writing a byte takes half the time of decoding one. */
const writtenCheaperBy = 2

type UpperState = Omit<FullState, 'nodes' | 'join'>

/** Maximum number of members that are written or read in one slice: some tenths of a millisecond. */
const nodesAtOnce = 64

export function encodeFullState(state: FullState): Uint8Array {
  return wholly(writeFullState(state))
}

/** A full state as one stream frame: type, head, nodes one after another, the upper layer's part. */
export function* writeFullState(state: FullState): Sliced<Uint8Array> {
  const upper = encodeUpper(state)
  const writer = new ValueWriter(256 + 160 * state.nodes.length)
  writer.byte(lowerType.pushPull)
  writer.mapHead(3)
  writer.text('Join')
  writer.bool(state.join)
  numberField(writer, 'Nodes', state.nodes.length)
  numberField(writer, 'UserStateLen', upper.length)
  yield upper.length / writtenCheaperBy
  for (let at = 0; at < state.nodes.length; at += nodesAtOnce) {
    const { length } = writer
    for (const node of state.nodes.slice(at, at + nodesAtOnce)) writeNode(writer, node)
    yield (writer.length - length) / writtenCheaperBy
  }
  return concatBytes([writer.take(), upper])
}

/** Undefined if it is malformed or too large. */
export function readStateHead(from: ValueReader): StateHead | undefined {
  let nodes = 0
  let upperBytes = 0
  let join = false
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Nodes') nodes = from.uint(stateNodesMax)
    else if (key === 'UserStateLen') upperBytes = from.uint(streamBytesMax)
    else if (key === 'Join') join = from.bool()
    else from.skip()
  }
  return from.failed ? undefined : { nodes, upperBytes, join }
}

/**
 * The state whose head begins at the reader, in a frame that is complete (`FrameScan`). Undefined if it is malformed.
 */
export function* readState(from: ValueReader, bytes: Uint8Array): Sliced<FullState | undefined> {
  const head = readStateHead(from)
  if (head === undefined) return undefined
  const nodes: NodeState[] = []
  let readTo = from.at
  for (let left = head.nodes; left > 0; left--) {
    const node = readNodeState(from)
    if (node === undefined) return undefined
    nodes.push(node)
    if (left % nodesAtOnce !== 1) continue
    yield from.at - readTo
    readTo = from.at
  }
  const rest = yield* readUpper(bytes.subarray(from.at, from.at + head.upperBytes))
  return rest === undefined ? undefined : { nodes, join: head.join, ...rest }
}

function writeNode(to: ValueWriter, node: NodeState): void {
  to.mapHead(7)
  rawField(to, 'Addr', addressBytes(node.address))
  numberField(to, 'Incarnation', node.incarnation)
  rawField(to, 'Meta', node.meta)
  textField(to, 'Name', node.node)
  numberField(to, 'Port', node.address.port)
  numberField(to, 'State', stateNumber[node.state])
  rawField(to, 'Vsn', versionBytes(node.versions))
}

function readNodeState(from: ValueReader): NodeState | undefined {
  const read = readNode(from)
  const state = read === undefined ? undefined : stateOf(read.state)
  if (read === undefined || state === undefined) return undefined
  const { node, address, meta, incarnation, versions } = read
  return { node, address, meta, incarnation, state, versions }
}

function stateOf(number: number): NodeState['state'] | undefined {
  if (number === stateNumber.alive) return 'alive'
  if (number === stateNumber.suspect) return 'suspect'
  return number === stateNumber.dead || number === stateNumber.left ? 'dead' : undefined
}

function encodeUpper(state: UpperState): Uint8Array {
  const writer = new ValueWriter(128 + 40 * state.statusTimes.length)
  writer.byte(upperType.pushPull)
  writer.mapHead(6)
  numberField(writer, 'EventLTime', state.eventLamport)
  writer.text('Events')
  writer.arrayHead(state.events.length)
  for (const heard of state.events) writeHeard(writer, heard)
  numberField(writer, 'LTime', state.lamport)
  writer.text('LeftMembers')
  writer.arrayHead(state.left.length)
  for (const node of state.left) writer.text(node)
  numberField(writer, 'QueryLTime', state.queryLamport)
  writer.text('StatusLTimes')
  writer.mapHead(state.statusTimes.length)
  for (const [node, lamport] of state.statusTimes) numberField(writer, node, lamport)
  return writer.take()
}

function writeHeard(to: ValueWriter, { lamport, events }: HeardEvents): void {
  to.mapHead(2)
  to.text('Events')
  to.arrayHead(events.length)
  for (const { name, payload } of events) {
    to.mapHead(2)
    textField(to, 'Name', name)
    bytesField(to, 'Payload', payload)
  }
  numberField(to, 'LTime', lamport)
}

/** Reads the upper layer's part; an agent without an upper layer sends no bytes. */
function* readUpper(bytes: Uint8Array): Sliced<UpperState | undefined> {
  const statusTimes: (readonly [string, number])[] = []
  const left: string[] = []
  const clocks = { lamport: 0, eventLamport: 0, queryLamport: 0 }
  let events: HeardEvents[] = []
  if (bytes.length === 0) return { ...clocks, statusTimes, left, events }
  if (bytes[0] !== upperType.pushPull) return undefined
  if (new ValueScanner(1, 1).scan(bytes, bytes.length) !== 'complete') return undefined
  const from = new ValueReader(bytes, 1)
  for (let fields = from.fields(); fields > 0 && !from.failed; fields--) {
    const { at } = from
    const key = from.key()
    if (key === 'LTime') clocks.lamport = from.uint(lamportMax)
    else if (key === 'EventLTime') clocks.eventLamport = from.uint(lamportMax)
    else if (key === 'QueryLTime') clocks.queryLamport = from.uint(lamportMax)
    else if (key === 'StatusLTimes') readStatusTimes(from, statusTimes)
    else if (key === 'LeftMembers') readNames(from, left)
    else if (key === 'Events') events = readEvents(from)
    else from.skip()
    yield from.at - at
  }
  return from.failed ? undefined : { ...clocks, statusTimes, left, events }
}

/** Reads recent events. The field sends all places of its buffer; those without events are nil. */
function readEvents(from: ValueReader): HeardEvents[] {
  const heard: HeardEvents[] = []
  let room = stateEventsMax
  for (let left = from.arrayHead(); left > 0 && !from.failed; left--) {
    let lamport = 0
    let events: HeardEvents['events'] = []
    for (let fields = from.fields(); fields > 0 && !from.failed; fields--) {
      const key = from.key()
      if (key === 'LTime') lamport = from.uint(lamportMax)
      else if (key === 'Events') events = readNamed(from, room)
      else from.skip()
    }
    room -= 1 + events.length
    if (room < 0) from.fail()
    if (events.length > 0) heard.push({ lamport, events })
  }
  return heard
}

function readNamed(from: ValueReader, most: number): HeardEvents['events'] {
  const events: { readonly name: string; readonly payload: Uint8Array }[] = []
  const count = from.arrayHead()
  if (count > most) from.fail()
  for (let left = count; left > 0 && !from.failed; left--) {
    const read = { name: '', payload: emptyBytes }
    for (let fields = from.fields(); fields > 0 && !from.failed; fields--) {
      const key = from.key()
      if (key === 'Name') read.name = from.text(nameBytesMax)
      else if (key === 'Payload') read.payload = from.raw(newsBytesMax)
      else from.skip()
    }
    events.push(read)
  }
  return events
}

function readStatusTimes(from: ValueReader, into: (readonly [string, number])[]): void {
  const count = from.mapHead()
  if (into.length + count > stateNodesMax) from.fail()
  for (let left = count; left > 0 && !from.failed; left--) {
    const node = from.text(nameBytesMax)
    into.push([node, from.uint(lamportMax)])
  }
}

function readNames(from: ValueReader, into: string[]): void {
  const count = from.arrayHead()
  if (into.length + count > stateNodesMax) from.fail()
  for (let left = count; left > 0 && !from.failed; left--) into.push(from.text(nameBytesMax))
}
