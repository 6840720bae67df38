import { afterEach, describe, expect, it } from 'vitest'
import type { HttpResponse, HttpStreamOut } from '../../../src/env/http.ts'
import { deferred } from '../../../src/host/async.ts'
import { quietEnv } from './quiet-env.ts'
import { RawConnection } from './raw-connection.ts'

const connections: RawConnection[] = []

afterEach(() => {
  for (const connection of connections.splice(0)) connection.close()
})

/** A server of one stream, and what becomes of it. */
async function streaming() {
  const opened = deferred<HttpStreamOut>()
  const closed = deferred<void>()
  const answer: HttpResponse = {
    status: 200,
    headers: [['Vary', 'Accept-Encoding']],
    body: {
      open: (out) => {
        out.write('first\n')
        opened.resolve(out)
        return { close: () => closed.resolve() }
      },
    },
  }
  const listener = await quietEnv().http.serve({ host: '127.0.0.1', port: 0 }, async () => answer)
  if (!listener.ok) throw new Error(listener.error.kind)
  const connection = new RawConnection(listener.value.local)
  connections.push(connection)
  connection.write('GET /v1/agent/monitor HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n')
  return { listener: listener.value, connection, out: await opened.promise, closed: closed.promise }
}

describe('a streamed answer', () => {
  it('is sent piece by piece as it comes, uncompressed, and its source ends when the reader leaves', async () => {
    const { connection, out, closed } = await streaming()
    await connection.received(/first\n/)
    expect(out.write('second\n')).toBe(true)
    const received = await connection.received(/second\n/)
    expect(String(received)).not.toMatch(/content-encoding/i)
    connection.close()
    await closed
  })

  it('ends in order when the listener is closed, and takes nothing after that', async () => {
    const { listener, connection, out, closed } = await streaming()
    listener.close()
    expect(await connection.all()).toMatch(/Transfer-Encoding: chunked[\s\S]*first\n\r\n0\r\n\r\n$/)
    await closed
    expect(out.write('late')).toBe(false)
  })

  it('drops what a reader does not take', async () => {
    const { out, connection } = await streaming()
    const piece = 'x'.repeat(64 << 10)
    let taken = 0
    // More than the system's own buffers hold, while the client does not read.
    connection.socket.pause()
    while (taken < 4_096 && out.write(piece)) taken++
    expect(taken).toBeLessThan(4_096)
  })
})
