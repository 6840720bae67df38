import { describe, expect, it } from 'vitest'
import { concatBytes, utf8 } from '../../../src/base/bytes.ts'
import { pack } from '../../../src/base/msgpack.ts'
import { failureText } from '../../../src/model/failure.ts'
import { failureFromWire, failureToWire } from '../../../src/rpc/failure-codec.ts'
import { encodeFrame, type Frame, frameBytesMax } from '../../../src/rpc/frame.ts'
import { FrameReader } from '../../../src/rpc/frame-reader.ts'

const frames: readonly Frame[] = [
  { kind: 'hello', hello: { protocol: 1, nodeId: 'n', nodeName: 'a', datacenter: 'dc1', address: '10.0.0.1:8300' } },
  { kind: 'request', id: 1, method: 'KV.Put', body: { key: 'a', value: utf8('x') }, deadlineMs: 7000 },
  { kind: 'answer', id: 1, body: { index: 12, flags: 18446744073709551615n } },
  { kind: 'failure', id: 2, failure: { kind: 'no-leader' } },
  { kind: 'cancel', id: 3 },
  { kind: 'notice', topic: 'raft', bytes: utf8('m') },
  { kind: 'ping' },
  { kind: 'pong' },
]

function read(
  bytes: Uint8Array,
  pieceBytes: number,
  awaitsAnswers = true,
): { frames: Frame[]; error: string | undefined } {
  const reader = new FrameReader({ awaitsAnswers: () => awaitsAnswers })
  const out: Frame[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const pushed = reader.push(bytes.slice(at, at + pieceBytes), (frame) => out.push(frame))
    if (!pushed.ok) return { frames: out, error: pushed.error }
  }
  return { frames: out, error: undefined }
}

describe('frames', () => {
  const stream = concatBytes(frames.map(encodeFrame))

  it.each([1, 2, 3, 5, 7, 64, 100_000])('come back whole from pieces of %i bytes', (pieceBytes) => {
    const { frames: back, error } = read(stream, pieceBytes)
    expect(error).toBeUndefined()
    expect(back.map((frame) => frame.kind)).toEqual(frames.map((frame) => frame.kind))
    expect(back[1]).toMatchObject({ method: 'KV.Put', deadlineMs: 7000 })
    expect(back[2]).toMatchObject({ body: { index: 12, flags: 18446744073709551615n } })
  })

  it.each([0, 1, 255, 256, 65_535, 65_536])('carry a notice of %i bytes as MessagePack does', (length) => {
    const bytes = new Uint8Array(length).fill(7)
    const frame = encodeFrame({ kind: 'notice', topic: 'raft', bytes })
    const body = frame.subarray(4)
    expect(Buffer.compare(body, pack([5, 'raft', bytes]))).toBe(0)
    expect(new DataView(frame.buffer, frame.byteOffset).getUint32(0)).toBe(body.length)
    const { frames: back, error } = read(frame, frame.length)
    expect([back.length, back[0], error]).toMatchObject([1, { kind: 'notice', topic: 'raft' }, undefined])
    expect(back[0]?.kind === 'notice' && Buffer.compare(back[0].bytes, bytes)).toBe(0)
  })

  it('refuse a notice that is cut short or has something behind it', () => {
    const whole = encodeFrame({ kind: 'notice', topic: 'raft', bytes: utf8('payload') })
    for (const length of [whole.length - 1, whole.length + 1]) {
      const wrong = new Uint8Array(length)
      wrong.set(whole.subarray(0, length))
      wrong[3] = length - 4
      expect(read(wrong, length).error).toContain('MessagePack')
    }
  })

  it('refuse a hello with a text that is longer than any name or address', () => {
    const hello = { protocol: 1, nodeId: 'n', nodeName: 'a', datacenter: 'dc1', address: '10.0.0.1:8300' }
    for (const key of ['nodeId', 'nodeName', 'datacenter', 'address'] as const) {
      const of = (length: number) => encodeFrame({ kind: 'hello', hello: { ...hello, [key]: 'x'.repeat(length) } })
      expect(read(of(320), 1_000).frames).toHaveLength(1)
      expect(read(of(321), 1_000)).toEqual({ frames: [], error: 'not a frame' })
    }
  })

  it('refuse a length beyond the bound before anything of it arrives', () => {
    const length = frameBytesMax + 1
    const head = new Uint8Array([length >>> 24, length >>> 16, length >>> 8, length])
    expect(read(head, 4).error).toContain('at most')
  })

  it('refuse what is not a frame', () => {
    expect(read(new Uint8Array([0, 0, 0, 1, 0x2a]), 5).error).toBe('not a frame')
    expect(read(new Uint8Array([0, 0, 0, 2, 0x91, 0x63]), 6).error).toBe('not a frame')
    expect(read(new Uint8Array([0, 0, 0, 1, 0x92]), 5).error).toContain('MessagePack')
  })

  it('refuse nesting that would exhaust the decoder', () => {
    const nested = new Uint8Array(4 + 1000).fill(0x91)
    nested.set([0, 0, 0x03, 0xe8])
    expect(read(nested, 2000).error).toContain('nested')
  })
})

describe('a failure from another agent', () => {
  it('keeps its kind when this release knows it', () => {
    expect(failureFromWire({ kind: 'not-leader', leader: '10.0.0.2:8300' })).toEqual({
      kind: 'not-leader',
      leader: '10.0.0.2:8300',
    })
    expect(failureFromWire({ kind: 'not-leader' })).toEqual({ kind: 'not-leader', leader: undefined })
    expect(failureFromWire({ kind: 'bad-request', message: 'Missing key name' })).toEqual({
      kind: 'bad-request',
      message: 'Missing key name',
    })
  })

  it('is a refusal with the text that older releases know, and of its own kind again, where the servers have no mesh', () => {
    const text = 'Connect must be enabled in order to use this endpoint'
    expect(failureText({ kind: 'mesh-off' })).toBe(text)
    expect(failureToWire({ kind: 'mesh-off' })).toEqual({ kind: 'refused', message: text })
    expect(failureFromWire(failureToWire({ kind: 'mesh-off' }))).toEqual({ kind: 'mesh-off' })
    expect(failureFromWire({ kind: 'mesh-off' })).toEqual({ kind: 'mesh-off' })
    expect(failureToWire({ kind: 'refused', message: 'other' })).toEqual({ kind: 'refused', message: 'other' })
  })

  it('becomes a refusal with its text when it does not', () => {
    expect(failureFromWire({ kind: 'quota-exceeded', message: 'too many keys' })).toEqual({
      kind: 'refused',
      message: 'too many keys',
    })
    // Every object has these: they are no rows of the table.
    for (const kind of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      expect(failureFromWire({ kind, message: 'hostile' })).toEqual({ kind: 'refused', message: 'hostile' })
    }
    expect(failureFromWire(7)).toEqual({ kind: 'refused', message: 'a failure of an unknown kind' })
  })
})

/** A frame of about 8 MiB: `head`, then the same few bytes again and again. */
function filled(head: readonly number[], item: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(frameBytesMax)
  for (let at = head.length; at + item.length <= bytes.length; at += item.length) bytes.set(item, at)
  bytes.set(head)
  const framed = new Uint8Array(4 + bytes.length)
  framed.set([0, 0x80, 0, 0])
  framed.set(bytes, 4)
  return framed
}

describe('frames of millions of values', () => {
  const countOf = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  const emptyMaps = countOf(frameBytesMax - 12)
  it.each([
    ['a request', [0x95, 1, 7, 0xa1, 0x78, 0xdd, ...emptyMaps], false],
    ['a request, though an answer is awaited', [0x95, 1, 7, 0xa1, 0x78, 0xdd, ...emptyMaps], true],
    ['a hello', [0x96, 0, 1, 0xdd, ...emptyMaps], true],
    ['an answer that nobody awaits', [0x93, 2, 7, 0xdd, ...emptyMaps], false],
    ['something else', [0xdd, ...emptyMaps], true],
  ] as const)('are refused before any of it is built: %s', (_, head, awaitsAnswers) => {
    const { frames: none, error } = read(filled(head, [0x80]), 1 << 20, awaitsAnswers)
    expect([none, error]).toEqual([[], 'frame of more than 65536 values'])
  })

  it('are read where they answer what was asked', () => {
    const body = Array.from({ length: 100_000 }, (_, at) => at)
    const frame = encodeFrame({ kind: 'answer', id: 1, body })
    expect(read(frame, frame.length).frames).toEqual([{ kind: 'answer', id: 1, body }])
    expect(read(frame, frame.length, false).error).toBe('frame of more than 65536 values')
  })
})
