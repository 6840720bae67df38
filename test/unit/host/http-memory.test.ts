import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HttpHandler, HttpResponse } from '../../../src/env/http.ts'
import type { Log } from '../../../src/env/observe.ts'
import { HeldBodies } from '../../../src/host/http-body.ts'
import { HttpConnection } from '../../../src/host/http-connection.ts'
import { clientsMemory } from '../../../src/host/http-memory.ts'

const mebibyte = 1 << 20
const logged: string[] = []
const log = { write: (_level: string, _topic: string, text: string) => logged.push(text) } as unknown as Log

/** A listener that holds 64 MiB for its clients, none of which reads. */
async function listening(handler: HttpHandler) {
  const serving = {
    handler,
    log,
    bodies: new HeldBodies(),
    memory: clientsMemory(log, 64 * mebibyte),
    compressed: new WeakMap(),
    texts: new WeakMap(),
    streams: new Set<() => void>(),
    closing: false,
  }
  const connections = new Map<Socket, HttpConnection>()
  const server = createServer((request, response) => {
    const { socket } = request
    const connection = connections.get(socket) ?? new HttpConnection(socket, serving)
    connections.set(socket, connection)
    connection.take(request, response, request.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const clients: Socket[] = []
  return {
    held: () => [...connections].reduce((sum, [socket, { heldBytes }]) => sum + (socket.destroyed ? 0 : heldBytes), 0),
    open: () => [...connections.keys()].filter(({ destroyed }) => !destroyed).length,
    ask: (requests: string) => {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
      client.pause()
      client.on('error', () => undefined)
      client.write(requests)
      clients.push(client)
      onTestFinished(() => void client.destroy())
    },
  }
}

const request = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

describe('the memory that a listener holds for its clients', () => {
  it('is bounded for answers that they do not read', async () => {
    const answer: HttpResponse = { status: 200, headers: [], body: 'x'.repeat(20 * mebibyte) }
    let asked = 0
    const { ask, held, open } = await listening(async () => {
      asked++
      return answer
    })
    for (let client = 0; client < 8; client++) ask(request)
    await vi.waitUntil(() => asked === 8, { timeout: 20_000 })
    expect([held() <= 64 * mebibyte, open() > 0, open() < 8]).toEqual([true, true, true])
    expect(logged.at(-1)).toContain('too much memory')
  })

  it('does not include answers that several clients get in common', async () => {
    const answer: HttpResponse = { status: 200, headers: [], body: new Uint8Array(20 * mebibyte), shared: true }
    let asked = 0
    const { ask, open } = await listening(async () => {
      asked++
      return answer
    })
    for (let client = 0; client < 8; client++) ask(request)
    await vi.waitUntil(() => asked === 8, { timeout: 20_000 })
    expect(open()).toBe(8)
  })

  it('is bounded for requests that wait for the answer to an earlier one', async () => {
    const { ask, held, open } = await listening(() => new Promise(() => undefined))
    const long = `GET / HTTP/1.1\r\nHost: h\r\nX-Long: ${'x'.repeat(12 << 10)}\r\n\r\n`
    let most = 0
    for (let client = 0; client < 30; client++) {
      ask(long.repeat(250))
      await vi.waitUntil(() => held() >= Math.min(most + mebibyte, 50 * mebibyte), { timeout: 20_000 })
      most = Math.max(most, held())
    }
    await vi.waitUntil(() => open() < 30, { timeout: 20_000 })
    expect([held() <= 64 * mebibyte, open() > 10]).toEqual([true, true])
  })
})
