import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { ok, type Result } from '../../../src/base/result.ts'
import { type Endpoint, highWaterBytes, type StreamEnd, type TcpStream } from '../../../src/env/net.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { Connection, type ConnectionEvents } from '../../../src/rpc/connection.ts'
import {
  encodeFrame,
  type Frame,
  frameBytesMax,
  type Hello,
  helloBytesMax,
  rpcProtocol,
} from '../../../src/rpc/frame.ts'
import { FrameReader } from '../../../src/rpc/frame-reader.ts'
import { peersMemory } from '../../../src/rpc/peers-memory.ts'
import { ServedRequests } from '../../../src/rpc/served-requests.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const hello: Hello = { protocol: rpcProtocol, nodeId: 'a', nodeName: 'a', datacenter: 'dc1', address: '' }
const mebibyte = 1 << 20

/** A stream whose peer reads nothing. */
class DeafStream implements TcpStream {
  readonly local: Endpoint = { host: '10.0.0.1', port: 8300 }
  readonly remote: Endpoint
  readonly peer = undefined
  readonly written: Uint8Array[] = []
  closed = false
  #data: (bytes: Uint8Array) => void = () => undefined

  constructor(host: string) {
    this.remote = { host, port: 40_000 }
  }

  onData(use: (bytes: Uint8Array) => void): void {
    this.#data = use
  }
  onDrain(): void {}
  onEnd(): void {}
  onClose(_use: (why: StreamEnd) => void): void {}
  pause(): void {}
  resume(): void {}
  end(): void {}
  close(): void {
    this.closed = true
  }
  write(bytes: Uint8Array): boolean {
    this.written.push(bytes)
    return this.queuedBytes() <= highWaterBytes
  }
  queuedBytes(): number {
    return this.written.reduce((sum, { length }) => sum + length, 0)
  }

  sends(bytes: Uint8Array): void {
    this.#data(bytes)
  }
}

function framesIn(written: readonly Uint8Array[]): readonly Frame[] {
  const frames: Frame[] = []
  new FrameReader({ awaitsAnswers: () => true }).push(concatBytes(written), (frame) => frames.push(frame))
  return frames
}

/** An agent whose peers may make it hold 64 MiB. */
class Host {
  readonly clock = new HandClock()
  readonly memory = peersMemory(this.clock.env, 64 * mebibyte)
  readonly connections: Connection[] = []
  answer: () => Promise<Result<unknown, Failure>> = () => new Promise(() => undefined)

  dialledBy(host: string, isGreeted = true): DeafStream {
    const stream = new DeafStream(host)
    const events: ConnectionEvents = {
      onRequest: () => this.answer(),
      isWrite: () => false,
      onNotice: () => undefined,
      onHeld: (connection) => this.memory.grown(connection),
      onReady: () => undefined,
      onClose: (connection) => this.memory.gone(connection),
    }
    this.connections.push(new Connection(this.clock.env, stream, hello, true, events))
    if (isGreeted) stream.sends(encodeFrame({ kind: 'hello', hello: { ...hello, nodeId: host } }))
    return stream
  }

  get heldBytes(): number {
    return this.connections.reduce((sum, { heldBytes }) => sum + heldBytes, 0)
  }
}

/** The beginning of a frame that would be as long as one may be. */
function unfinished(bytes: number): Uint8Array {
  const part = new Uint8Array(bytes)
  new DataView(part.buffer).setUint32(0, frameBytesMax)
  return part
}

function request(id: number, bytes: number): Uint8Array {
  return encodeFrame({ kind: 'request', id, method: 'Test', body: new Uint8Array(bytes), deadlineMs: 1_000 })
}

describe('the memory that all peers together make an agent hold', () => {
  it('is bounded for unfinished frames: the source of most of them loses connections, other agents do not', () => {
    const host = new Host()
    const other = host.dialledBy('10.0.0.2')
    other.sends(unfinished(7 * mebibyte))
    const strangers = Array.from({ length: 40 }, () => host.dialledBy('10.0.0.9'))
    for (const stranger of strangers) {
      // In pieces, as they come from a network.
      for (let piece = 0; piece < 7; piece++)
        stranger.sends(piece === 0 ? unfinished(mebibyte) : new Uint8Array(mebibyte))
      expect(host.heldBytes).toBeLessThanOrEqual(65 * mebibyte)
    }
    expect([other.closed, strangers.filter(({ closed }) => !closed).length]).toEqual([false, 8])
  })

  it('is bounded for answers that peers do not read', async () => {
    const host = new Host()
    host.answer = async () => ok(new Uint8Array(7 * mebibyte))
    const peers = Array.from({ length: 20 }, (_, at) => host.dialledBy(`10.0.1.${at}`))
    for (const peer of peers) {
      peer.sends(concatBytes([request(1, 1), request(2, 1)]))
      await settled()
      expect(host.heldBytes).toBeLessThanOrEqual(72 * mebibyte)
    }
    expect(peers.some(({ closed }) => !closed)).toBe(true)
  })

  it('is bounded for requests that are being served', () => {
    const host = new Host()
    const peers = Array.from({ length: 20 }, (_, at) => host.dialledBy(`10.0.1.${at}`))
    for (const peer of peers) {
      peer.sends(request(1, 7 * mebibyte))
      expect(host.heldBytes).toBeLessThanOrEqual(72 * mebibyte)
    }
    expect(peers.some(({ closed }) => !closed)).toBe(true)
  })

  it('is free again when a request has been answered and the peer has read', async () => {
    const host = new Host()
    host.answer = async () => ok(null)
    const peer = host.dialledBy('10.0.0.2')
    for (let id = 0; id < 20; id++) {
      peer.sends(request(id, 7 * mebibyte))
      await settled()
    }
    expect([peer.closed, host.heldBytes < 1_000]).toEqual([false, true])
  })
})

describe('the memory that one peer makes an agent hold', () => {
  it('is bounded for requests that are being served: further ones are refused', async () => {
    const written: Uint8Array[] = []
    const answers: (() => void)[] = []
    const served = new ServedRequests({
      env: new HandClock().env,
      onRequest: () => new Promise((resolve) => answers.push(() => resolve(ok(null)))),
      isWrite: () => false,
      isCongested: () => false,
      write: (frame) => written.push(frame),
    })
    const peer = { ...hello, mayActAsServer: true }
    const serve = (id: number, size: number) =>
      served.serve(peer, { kind: 'request', id, method: 'Test', body: null, deadlineMs: 1_000 }, size)
    for (let id = 0; id < 32; id++) expect(serve(id, frameBytesMax)).toBe(true)
    expect([written.length, served.bytes]).toEqual([0, 256 * mebibyte])
    serve(32, 1)
    expect(framesIn(written)).toEqual([
      { kind: 'failure', id: 32, failure: { kind: 'overloaded', message: 'too many requests' } },
    ])
    for (const answer of answers) answer()
    await settled()
    expect([served.bytes, answers.length, serve(33, 1)]).toEqual([0, 32, true])
  })

  it('is small before its hello', () => {
    const long = new Uint8Array(4)
    new DataView(long.buffer).setUint32(0, helloBytesMax + 1)
    const host = new Host()
    const stranger = host.dialledBy('10.0.0.9', false)
    stranger.sends(long)
    expect(stranger.closed).toBe(true)
    const greeted = host.dialledBy('10.0.0.9')
    greeted.sends(long)
    expect(greeted.closed).toBe(false)
  })

  it('is that of the unfinished frame alone, not of the piece in which it began', () => {
    const reader = new FrameReader({ awaitsAnswers: () => true })
    const [first, second] = [request(1, mebibyte), request(2, 100)]
    const piece = concatBytes([first, second.subarray(0, 50)])
    const ids: unknown[] = []
    const use = (frame: Frame) => ids.push(frame.kind === 'request' && frame.id)
    reader.push(piece, use)
    // What the reader keeps is not part of the piece.
    piece.fill(0)
    expect(reader.push(second.subarray(50), use)).toEqual(ok(undefined))
    expect(ids).toEqual([1, 2])
  })
})
