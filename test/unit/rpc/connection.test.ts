import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { type Endpoint, highWaterBytes, type StreamEnd, type TcpStream } from '../../../src/env/net.ts'
import { Connection, type ConnectionEvents } from '../../../src/rpc/connection.ts'
import { encodeFrame, type Frame, type Hello, rpcProtocol } from '../../../src/rpc/frame.ts'
import { FrameReader } from '../../../src/rpc/frame-reader.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const hello: Hello = { protocol: rpcProtocol, nodeId: 'a', nodeName: 'a', datacenter: 'dc1', address: '' }
const place: Endpoint = { host: '10.0.0.1', port: 8300 }

/** A stream whose peer reads only when the test says so. */
class SlowStream implements TcpStream {
  readonly local = place
  readonly remote = place
  readonly peer = undefined
  #queue: Uint8Array[] = []
  #queued = 0
  #data: (bytes: Uint8Array) => void = () => undefined
  #drain = (): void => undefined
  /** Further bytes in the queue, such as those of many small frames. */
  heldBytes = 0
  closed = false

  onData(use: (bytes: Uint8Array) => void): void {
    this.#data = use
  }
  onDrain(use: () => void): void {
    this.#drain = use
  }
  onEnd(_use: () => void): void {}
  onClose(_use: (why: StreamEnd) => void): void {}
  pause(): void {}
  resume(): void {}
  end(): void {}
  close(): void {
    this.closed = true
  }

  write(bytes: Uint8Array): boolean {
    this.#queue.push(bytes)
    this.#queued += bytes.length
    return this.#queued <= highWaterBytes
  }

  queuedBytes(): number {
    return this.#queued + this.heldBytes
  }

  /** The peer sends these frames. */
  sends(...frames: readonly Frame[]): void {
    this.#data(concatBytes(frames.map(encodeFrame)))
  }

  /** The peer reads all that is queued. */
  read(): readonly Frame[] {
    const frames: Frame[] = []
    new FrameReader({ awaitsAnswers: () => true }).push(concatBytes(this.#queue), (frame) => frames.push(frame))
    this.#queue = []
    this.#queued = 0
    this.heldBytes = 0
    this.#drain()
    return frames
  }
}

/** A connection that answers each request with a mebibyte, to a peer that has said hello. */
function connected() {
  const stream = new SlowStream()
  const served: string[] = []
  const events: ConnectionEvents = {
    onRequest: async ({ method }) => {
      served.push(method)
      return ok(new Uint8Array(1 << 20))
    },
    isWrite: () => false,
    onNotice: () => undefined,
    onHeld: () => undefined,
    onReady: () => undefined,
    onClose: () => undefined,
  }
  const clock = new HandClock()
  const connection = new Connection(clock.env, stream, hello, true, events)
  stream.sends({ kind: 'hello', hello: { ...hello, nodeId: 'b' } })
  return { stream, served, connection, clock }
}

function request(id: number): Frame {
  return { kind: 'request', id, method: `Test.${id}`, body: null, deadlineMs: 1_000 }
}

describe('a connection whose peer asks for more than it reads', () => {
  it('holds no more bytes for it than its limit, and answers everything in the end', async () => {
    const { stream, served } = connected()
    stream.sends(...Array.from({ length: 100 }, (_, id) => request(id)))
    await settled()
    expect(served).toHaveLength(100)
    expect(stream.queuedBytes()).toBeLessThan(18 << 20)
    const answered: number[] = []
    for (let reads = 0; reads < 20; reads++) {
      for (const frame of stream.read()) if (frame.kind === 'answer') answered.push(frame.id)
      expect(stream.queuedBytes()).toBeLessThan(18 << 20)
    }
    expect(answered).toEqual(Array.from({ length: 100 }, (_, id) => id))
  })

  it('drops an answer that the peer no longer waits for', async () => {
    const { stream } = connected()
    stream.sends(...Array.from({ length: 20 }, (_, id) => request(id)))
    await settled()
    stream.sends({ kind: 'cancel', id: 18 })
    const ids = [...stream.read(), ...stream.read()].flatMap((frame) => (frame.kind === 'answer' ? [frame.id] : []))
    expect(ids).toEqual(Array.from({ length: 20 }, (_, id) => id).filter((id) => id !== 18))
  })

  it('is closed when even small frames for it become too many', async () => {
    const { stream } = connected()
    stream.heldBytes = 31 << 20
    stream.sends({ kind: 'ping' })
    expect(stream.closed).toBe(false)
    expect(stream.read().map(({ kind }) => kind)).toEqual(['hello', 'pong'])
    stream.heldBytes = 33 << 20
    stream.sends({ kind: 'ping' })
    expect(stream.closed).toBe(true)
  })
})

describe('a request on a connection that is over', () => {
  const call = { method: 'Test.Write', body: null, deadlineMs: 10_000 }
  const unsent = { ok: false, error: { kind: 'unreachable' } }

  it('was certainly not served, because it is not sent', async () => {
    const { stream, connection } = connected()
    connection.close('shutting down')
    expect(await connection.request(call)).toMatchObject(unsent)
    expect(stream.read().map(({ kind }) => kind)).toEqual(['hello'])
  })

  it('was not either if the connection ends because its peer has not answered a ping', async () => {
    const { stream, connection, clock } = connected()
    await clock.advance(1_500)
    connection.notify('test', new Uint8Array(1), 'now')
    await clock.advance(2_500)
    expect(await connection.request(call)).toMatchObject(unsent)
    expect(stream.read().map(({ kind }) => kind)).toEqual(['hello', 'ping', 'notice'])
    expect(stream.closed).toBe(true)
  })
})
