import { concatBytes } from '../../base/bytes.ts'
import type { FullState, NodeState } from '../core/messages.ts'
import { lamportMax, nameBytesMax, stateNodesMax, streamBytesMax } from './bounds.ts'
import { readNode } from './message-decoder.ts'
import { addressBytes, numberField, rawField, textField, versionBytes } from './message-encoder.ts'
import { lowerType, stateNumber, upperType } from './message-types.ts'
import { ValueReader } from './value-reader.ts'
import { ValueWriter } from './value-writer.ts'

/** What comes before the nodes of a state exchange. */
export interface StateHead {
  readonly nodes: number
  /** Bytes of the upper layer's part, after the nodes. */
  readonly upperBytes: number
  readonly join: boolean
}

type UpperState = Pick<FullState, 'lamport' | 'statusTimes' | 'left'>

/** A whole state as one stream frame: type, head, nodes one after another, the upper layer's part. */
export function encodeFullState(state: FullState): Uint8Array {
  const upper = encodeUpper(state)
  const writer = new ValueWriter(256 + 160 * state.nodes.length)
  writer.byte(lowerType.pushPull)
  writer.mapHead(3)
  writer.text('Join')
  writer.bool(state.join)
  numberField(writer, 'Nodes', state.nodes.length)
  numberField(writer, 'UserStateLen', upper.length)
  for (const node of state.nodes) writeNode(writer, node)
  return concatBytes([writer.take(), upper])
}

/** Undefined if it is malformed or too large. */
export function readStateHead(from: ValueReader): StateHead | undefined {
  let nodes = 0
  let upperBytes = 0
  let join = false
  for (let left = from.mapHead(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Nodes') nodes = from.uint(stateNodesMax)
    else if (key === 'UserStateLen') upperBytes = from.uint(streamBytesMax)
    else if (key === 'Join') join = from.bool()
    else from.skip()
  }
  return from.failed ? undefined : { nodes, upperBytes, join }
}

/** The state whose nodes stand at the reader; `upper` is the upper layer's part. Undefined if it is malformed. */
export function readFullState(head: StateHead, from: ValueReader, upper: Uint8Array): FullState | undefined {
  const nodes: NodeState[] = []
  for (let left = head.nodes; left > 0; left--) {
    const node = readNodeState(from)
    if (node === undefined) return undefined
    nodes.push(node)
  }
  const rest = decodeUpper(upper)
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

/** We keep no user events and no queries: their clocks stand at their beginning. */
function encodeUpper(state: UpperState): Uint8Array {
  const writer = new ValueWriter(128 + 40 * state.statusTimes.length)
  writer.byte(upperType.pushPull)
  writer.mapHead(6)
  numberField(writer, 'EventLTime', 1)
  writer.text('Events')
  writer.arrayHead(0)
  numberField(writer, 'LTime', state.lamport)
  writer.text('LeftMembers')
  writer.arrayHead(state.left.length)
  for (const node of state.left) writer.text(node)
  numberField(writer, 'QueryLTime', 1)
  writer.text('StatusLTimes')
  writer.mapHead(state.statusTimes.length)
  for (const [node, lamport] of state.statusTimes) numberField(writer, node, lamport)
  return writer.take()
}

/** An agent that has no upper layer sends nothing. */
function decodeUpper(bytes: Uint8Array): UpperState | undefined {
  const statusTimes: (readonly [string, number])[] = []
  const left: string[] = []
  if (bytes.length === 0) return { lamport: 0, statusTimes, left }
  if (bytes[0] !== upperType.pushPull) return undefined
  const from = new ValueReader(bytes, 1)
  let lamport = 0
  for (let fields = from.mapHead(); fields > 0 && !from.failed; fields--) {
    const key = from.key()
    if (key === 'LTime') lamport = from.uint(lamportMax)
    else if (key === 'StatusLTimes') readStatusTimes(from, statusTimes)
    else if (key === 'LeftMembers') readNames(from, left)
    else from.skip()
  }
  return from.failed ? undefined : { lamport, statusTimes, left }
}

function readStatusTimes(from: ValueReader, into: (readonly [string, number])[]): void {
  for (let left = from.mapHead(); left > 0 && !from.failed; left--) {
    const node = from.text(nameBytesMax)
    into.push([node, from.uint(lamportMax)])
  }
}

function readNames(from: ValueReader, into: string[]): void {
  for (let left = from.arrayHead(); left > 0 && !from.failed; left--) into.push(from.text(nameBytesMax))
}
