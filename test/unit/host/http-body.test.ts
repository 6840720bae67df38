import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { bodyBytesMax } from '../../../src/env/http.ts'
import { heldBodyBytesMax, readBody } from '../../../src/host/http-body.ts'

/** As much of a request as the reading of its body looks at. */
function requestWith(headers: Record<string, string>): { stream: PassThrough; request: IncomingMessage } {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage }
}

describe('the body of a request', () => {
  it('counts among those held from its first byte until it is released', async () => {
    const held = { heldBytes: 0, heldLargeBytes: 0 }
    const { stream, request } = requestWith({ 'content-length': '5' })
    const reading = readBody(request, held)
    stream.end('hello')
    const received = await reading
    expect(received.body).toEqual(utf8('hello'))
    expect(held.heldBytes).toBe(5)
    received.release()
    received.release()
    expect(held.heldBytes).toBe(0)
  })

  it('is refused, and not counted, where it does not fit beside the others', async () => {
    const held = { heldBytes: heldBodyBytesMax - 4, heldLargeBytes: 0 }
    const { stream, request } = requestWith({ 'transfer-encoding': 'chunked' })
    const reading = readBody(request, held)
    stream.write('hel')
    stream.write('lo')
    expect((await reading).body).toBe('no-room')
    expect(held.heldBytes).toBe(heldBodyBytesMax - 4)
  })

  it('finds room where those that may be larger than others have taken all of theirs', async () => {
    const held = { heldBytes: 0, heldLargeBytes: heldBodyBytesMax - 4 }
    const small = requestWith({ 'content-length': '5' })
    const large = requestWith({ 'content-length': '5' })
    const reading = [readBody(small.request, held), readBody(large.request, held, 2 * bodyBytesMax)] as const
    for (const { stream } of [small, large]) stream.end('hello')
    const [first, second] = await Promise.all(reading)
    expect([first.body, second.body]).toEqual([utf8('hello'), 'no-room'])
    first.release()
    expect(held).toEqual({ heldBytes: 0, heldLargeBytes: heldBodyBytesMax - 4 })
  })

  it('is broken, and not counted, when its sender goes away in the middle', async () => {
    const held = { heldBytes: 0, heldLargeBytes: 0 }
    const { stream, request } = requestWith({ 'content-length': '9' })
    const reading = readBody(request, held)
    stream.write('hel')
    stream.destroy()
    expect((await reading).body).toBe('broken')
    expect(held.heldBytes).toBe(0)
  })
})
