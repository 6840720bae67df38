import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { pack } from '../../../src/base/msgpack.ts'
import { ok } from '../../../src/base/result.ts'
import type { CommandContext } from '../../../src/cli-rpc/commands.ts'
import { openCliRpc } from '../../../src/cli-rpc/listener.ts'
import type { Env } from '../../../src/env/env.ts'
import { type Endpoint, highWaterBytes, type StreamEnd, type TcpStream } from '../../../src/env/net.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const place: Endpoint = { host: '127.0.0.1', port: 8400 }

/** A client that reads only when the test says so. */
class SlowClient implements TcpStream {
  readonly local = place
  readonly remote = place
  readonly peer = undefined
  #queued = 0
  #isPaused = false
  #sent: Uint8Array[] = []
  #data: (bytes: Uint8Array) => void = () => undefined
  #drain = (): void => undefined
  answered = 0

  onData(use: (bytes: Uint8Array) => void): void {
    this.#data = use
  }
  onDrain(use: () => void): void {
    this.#drain = use
  }
  onEnd(): void {}
  onClose(_use: (why: StreamEnd) => void): void {}
  end(): void {}
  close(): void {}
  pause(): void {
    this.#isPaused = true
  }
  resume(): void {
    this.#isPaused = false
    for (let next = this.#sent.shift(); next !== undefined; next = this.#sent.shift()) this.#data(next)
  }
  write(bytes: Uint8Array): boolean {
    this.answered++
    this.#queued += bytes.length
    return this.#queued <= highWaterBytes
  }
  queuedBytes(): number {
    return this.#queued
  }

  sends(bytes: Uint8Array): void {
    if (this.#isPaused) this.#sent.push(bytes)
    else this.#data(bytes)
  }

  read(): void {
    this.#queued = 0
    this.#drain()
  }
}

async function connected(): Promise<SlowClient> {
  const client = new SlowClient()
  const listen = async (_at: Endpoint, onStream: (stream: TcpStream) => void) => {
    onStream(client)
    return ok({ local: place, close: () => undefined, renewTls: () => undefined })
  }
  const stats = { agent: 'x'.repeat(100_000) }
  const context = { self: () => ({ stats }) } as unknown as CommandContext
  await openCliRpc({ ...new HandClock().env, tcp: { listen } } as unknown as Env, () => context, place)
  client.sends(concatBytes([pack({ Command: 'handshake', Seq: 0 }), pack({ Version: 1 })]))
  return client
}

describe('the port of the command line', () => {
  it('reads no further request of a client that does not read, and answers all of them in the end', async () => {
    const client = await connected()
    const commands = Array.from({ length: 100 }, (_, at) => pack({ Command: 'stats', Seq: at + 1 }))
    client.sends(concatBytes(commands))
    for (let turn = 0; turn < 200; turn++) await settled()
    expect(client.queuedBytes()).toBeLessThan(highWaterBytes + 200_000)
    for (let reads = 0; reads < 20; reads++) {
      client.read()
      for (let turn = 0; turn < 50; turn++) await settled()
    }
    expect(client.answered).toBe(1 + 2 * 100)
  })

  it('does so, too, where each answer is short', async () => {
    const client = await connected()
    const again = concatBytes([pack({ Command: 'handshake', Seq: 7 }), pack({ Version: 1 })])
    for (let sent = 0; sent < 4_000; sent++) client.sends(concatBytes(Array.from({ length: 30 }, () => again)))
    expect(client.queuedBytes()).toBeLessThan(highWaterBytes + 10_000)
    client.read()
    expect(client.queuedBytes()).toBeGreaterThan(0)
  })
})
