import { describe, expect, it } from 'vitest'
import type { FullState } from '../../../src/gossip/core/messages.ts'
import { encodeStreamFrame, type StreamFrame } from '../../../src/gossip/wire/stream-frame.ts'
import { shown, spelled } from './bytes.ts'
import { compressed, wrapped } from './compress.ts'
import { FrameReading } from './frames.ts'

const versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}
const state: FullState = {
  nodes: [
    {
      node: 'a',
      address: { host: '10.0.0.1', port: 8301 },
      meta: Uint8Array.of(0xff, 0x80),
      incarnation: 3,
      state: 'suspect',
      versions,
    },
  ],
  join: true,
  lamport: 7,
  statusTimes: [['a', 5]],
  left: ['z'],
  eventLamport: 1,
  queryLamport: 1,
  events: [],
}
/** Written from the format: head, one node, then the upper layer's 73 bytes. */
const stateBytes = spelled(
  '<06 83 a4>Join<c3 a5>Nodes<01 ac>UserStateLen<49>' +
    '<87 a4>Addr<a4 0a000001 ab>Incarnation<03 a4>Meta<a2 ff80 a4>Name<a1>a<a4>Port<cd206d a5>State<01 a3>Vsn<a6 010502020504>' +
    '<02 86 aa>EventLTime<01 a6>Events<90 a5>LTime<07 ab>LeftMembers<91 a1>z<aa>QueryLTime<01 ac>StatusLTimes<81 a1>a<05>',
)

function read(bytes: Uint8Array, pieceBytes = bytes.length): StreamFrame | string | undefined {
  const reader = new FrameReading()
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const pushed = reader.push(bytes.slice(at, at + pieceBytes))
    if (!pushed.ok) return pushed.error
    if (pushed.value !== undefined) return pushed.value
  }
  return undefined
}

/** As an agent of the field sends a frame that it compresses. */
function packed(frame: Uint8Array): Uint8Array {
  return wrapped(compressed(frame))
}

describe('frames of streams', () => {
  it('spells a whole state as the format has it', () => {
    expect(shown(encodeStreamFrame({ kind: 'full-state', state }))).toBe(shown(stateBytes))
  })

  it.each([1, 2, 7, 1000])('reads it whole from pieces of %i bytes', (pieceBytes) => {
    expect(read(stateBytes, pieceBytes)).toEqual({ kind: 'full-state', state })
    expect(read(packed(stateBytes), pieceBytes)).toEqual({ kind: 'full-state', state })
  })

  it('reads no frame while a byte of it is missing', () => {
    for (let length = 0; length < stateBytes.length; length++) expect(read(stateBytes.slice(0, length))).toBeUndefined()
  })

  it('reads a state without an upper layer', () => {
    expect(read(spelled('<06 83 a4>Join<c2 a5>Nodes<00 ac>UserStateLen<00>'))).toEqual({
      kind: 'full-state',
      state: {
        nodes: [],
        join: false,
        lamport: 0,
        statusTimes: [],
        left: [],
        eventLamport: 0,
        queryLamport: 0,
        events: [],
      },
    })
  })

  it('takes one that left, as newer agents say it, for dead', () => {
    const text = shown(stateBytes).replace('a5537461746501', 'a5537461746503')
    expect(read(spelled(`<${text}>`))).toMatchObject({ state: { nodes: [{ state: 'dead' }] } })
  })

  it.each<Exclude<StreamFrame, { kind: 'message' | 'full-state' }>>([
    { kind: 'ping', sequence: 9, node: 'b' },
    { kind: 'ack', sequence: 9, payload: Uint8Array.of(1, 2) },
    { kind: 'error', text: 'no' },
  ])('reads back a frame $kind', (frame) => {
    expect(read(encodeStreamFrame(frame), 3)).toEqual(frame)
  })

  it('spells an error as the format has it', () => {
    expect(shown(encodeStreamFrame({ kind: 'error', text: 'no' }))).toBe(shown(spelled('<0d 81 a5>Error<a2>no')))
  })

  it('reads a message of the upper layer by its length, and tells one of which we make nothing', () => {
    const join = spelled('<08 81 aa>UserMsgLen<10 01 82 a5>LTime<01 a4>Node<a1>b')
    expect(read(join, 5)).toEqual({ kind: 'message', message: { kind: 'join-intent', lamport: 1, node: 'b' } })
    expect(read(spelled('<08 81 aa>UserMsgLen<02 0b80>'))).toEqual({ kind: 'message', message: undefined })
  })

  it.each([
    ['an unknown type', '<07 01>'],
    ['a label, for none is configured', '<f4 03>abc<0d 81 a5>Error<a2>no'],
    ['an encrypted frame', '<0a 00000010>'],
    ['more nodes than any pool has', '<06 81 a5>Nodes<ce 10000000>'],
    ['an upper layer beyond the bound', '<06 81 ac>UserStateLen<ce 10000000>'],
    ['a value that is announced too long', '<00 81 a4>Node<db ffffffff>'],
    ['a byte that begins no value', '<00 c1>'],
    ['a compressed frame in a compressed frame', shown(packed(packed(stateBytes))).replace(/^(.*)$/, '<$1>')],
    ['a compressed frame that is cut short', `<${shown(packed(stateBytes.slice(0, 60)))}>`],
    ['a node without a name', '<06 81 a5>Nodes<01 83 a4>Addr<a4 0a000001 a4>Port<01 a3>Vsn<a6 010502020504>'],
  ])('refuses %s', (_, text) => {
    expect(typeof read(spelled(text))).toBe('string')
  })
})
