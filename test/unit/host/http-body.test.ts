import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { bodyBytesMax } from '../../../src/env/http.ts'
import { HeldBodies, heldBodyBytesMax, heldBodyBytesPerSourceMax, readBody } from '../../../src/host/http-body.ts'

/** As much of a request as the reading of its body looks at. */
function requestWith(headers: Record<string, string>): { stream: PassThrough; request: IncomingMessage } {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage }
}

afterEach(() => void vi.useRealTimers())

describe('the body of a request', () => {
  it('has the longer, the more of it has come', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const held = new HeldBodies()
    const bytes = 128 << 20
    const slow = requestWith({ 'content-length': `${bytes}` })
    const silent = requestWith({ 'content-length': '5' })
    const ends: unknown[] = []
    const reading = readBody(slow.request, held, '', 2 * bytes)
    void readBody(silent.request, held, '').then(({ body }) => ends.push(body))
    const piece = new Uint8Array(4 << 20)
    for (let sent = 0; sent < bytes - piece.length; sent += piece.length) {
      slow.stream.write(piece)
      // A little faster than 64 KiB/s, so that it takes half an hour in all.
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect(ends).toEqual(['too-slow'])
    expect(vi.getTimerCount()).toBe(1)
    slow.stream.end(piece)
    expect((await reading).body).toHaveLength(bytes)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that falls silent is given up as that of a client which sends a byte now and then, and takes no room', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const held = new HeldBodies()
    const { stream, request } = requestWith({ 'transfer-encoding': 'chunked' })
    const reading = readBody(request, held, '10.0.0.1')
    for (let minute = 0; minute < 3; minute++) {
      stream.write('a')
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect((await reading).body).toBe('too-slow')
    expect(held.heldBytes).toBe(0)
  })

  it('which is dropped has its time, too', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const { stream, request } = requestWith({ 'content-length': `${bodyBytesMax + 1}` })
    const destroy = vi.fn()
    Object.assign(stream, { socket: { destroy } })
    expect((await readBody(request, new HeldBodies(), '')).body).toBe('too-large')
    await vi.advanceTimersByTimeAsync(119_000)
    expect(destroy).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(destroy).toHaveBeenCalledOnce()
  })

  it('counts among those held from its first byte until it is released', async () => {
    const held = new HeldBodies()
    const { stream, request } = requestWith({ 'content-length': '5' })
    const reading = readBody(request, held, '10.0.0.1')
    stream.end('hello')
    const received = await reading
    expect(received.body).toEqual(utf8('hello'))
    expect(held.heldBytes).toBe(5)
    received.release()
    received.release()
    expect(held.heldBytes).toBe(0)
  })

  it('is refused, and not counted, where it does not fit beside the others', async () => {
    const held = new HeldBodies()
    held.add(heldBodyBytesMax - 4, false, undefined)
    const { stream, request } = requestWith({ 'transfer-encoding': 'chunked' })
    const reading = readBody(request, held, '10.0.0.1')
    stream.write('hel')
    stream.write('lo')
    expect((await reading).body).toBe('no-room')
    expect(held.heldBytes).toBe(heldBodyBytesMax - 4)
  })

  it('finds room where those that may be larger than others have taken all of theirs', async () => {
    const held = new HeldBodies()
    held.add(heldBodyBytesMax - 4, true, undefined)
    const small = requestWith({ 'content-length': '5' })
    const large = requestWith({ 'content-length': '5' })
    const reading = [readBody(small.request, held, ''), readBody(large.request, held, '', 2 * bodyBytesMax)] as const
    for (const { stream } of [small, large]) stream.end('hello')
    const [first, second] = await Promise.all(reading)
    expect([first.body, second.body]).toEqual([utf8('hello'), 'no-room'])
    first.release()
    expect([held.heldBytes, held.heldLargeBytes]).toEqual([0, heldBodyBytesMax - 4])
  })

  it('is refused where its source has taken its share, and that of another is not', async () => {
    const held = new HeldBodies()
    held.add(heldBodyBytesPerSourceMax - 4, false, '10.0.0.9')
    const bodies = ['10.0.0.9', '10.0.0.1', ''].map((from) => {
      const { stream, request } = requestWith({ 'content-length': '5' })
      const reading = readBody(request, held, from)
      stream.end('hello')
      return reading
    })
    const read = await Promise.all(bodies)
    expect(read.map(({ body }) => body)).toEqual(['no-room', utf8('hello'), utf8('hello')])
    for (const { release } of read) release()
    held.add(-(heldBodyBytesPerSourceMax - 4), false, '10.0.0.9')
    expect([held.heldBytes, held.areTooMany(false, '10.0.0.9')]).toEqual([0, false])
  })

  it('ends with the connection of a client that sends single bytes', async () => {
    const held = new HeldBodies()
    const { stream, request } = requestWith({ 'transfer-encoding': 'chunked' })
    const socket = { destroy: () => stream.destroy() }
    const reading = readBody(Object.assign(request, { socket }), held, '10.0.0.1')
    for (let at = 0; at < 50_000 && !stream.destroyed; at++) {
      stream.write('x')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([stream.destroyed, (await reading).body, held.heldBytes]).toEqual([true, 'broken', 0])
  })

  it('is broken, and not counted, when its sender goes away in the middle', async () => {
    const held = new HeldBodies()
    const { stream, request } = requestWith({ 'content-length': '9' })
    const reading = readBody(request, held, '10.0.0.1')
    stream.write('hel')
    stream.destroy()
    expect((await reading).body).toBe('broken')
    expect(held.heldBytes).toBe(0)
  })
})
