import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { equalBytes, utf8 } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { createHostEnv, type HostEnv } from '../../../src/host/env.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { acceptedPerSourceMax } from '../../../src/rpc/accepted-connections.ts'
import { Rpc } from '../../../src/rpc/rpc.ts'
import type { ServedRequest } from '../../../src/rpc/served-requests.ts'
import { freePort, ownLoopback } from '../../tools/own-ports.ts'

type Serve = (request: ServedRequest) => Promise<Result<unknown, Failure>>

interface Agent {
  readonly env: HostEnv
  readonly rpc: Rpc
  readonly port: number
  readonly notices: string[]
  readonly peers: string[]
  /** Peers whose process was found gone. */
  readonly gone: string[]
}

const envs: HostEnv[] = []
afterEach(() => {
  for (const env of envs.splice(0)) env.close()
})

/** An agent's RPC on loopback; `port` 0 takes a free one. */
async function startAgent(
  nodeId: string,
  serve: Serve,
  port = 0,
  { address, watched = () => true }: { readonly address?: string; readonly watched?: (id: string) => boolean } = {},
): Promise<Agent> {
  const env = createHostEnv({ logSink: () => {}, logLevel: 'error' })
  envs.push(env)
  const local = port === 0 ? await freePort() : port
  const rpc = await Rpc.open(env, { host: ownLoopback, port: local })
  if (!rpc.ok) throw new Error(`cannot listen: ${rpc.error.kind}`)
  const [notices, peers, gone]: [string[], string[], string[]] = [[], [], []]
  const identity = { nodeId, nodeName: nodeId, datacenter: 'dc1', address: address ?? `${ownLoopback}:${local}` }
  rpc.value.start(identity, {
    onRequest: serve,
    isWrite: (method) => method === writeMethod,
    onNotice: (peer, topic, bytes) => notices.push(`${peer.nodeId} ${topic} ${bytes.length}`),
    onPeer: (peer) => peers.push(peer.nodeId),
    watch: { isWatched: (peer) => watched(peer.nodeId), onGone: (peer) => gone.push(peer.nodeId) },
  })
  return { env, rpc: rpc.value, port: local, notices, peers, gone }
}

const writeMethod = 'Test.Write'
const echo: Serve = async ({ method, body }) => ok({ method, body })

function ask(from: Agent, to: Agent, body: unknown, deadlineMs = 5_000) {
  return from.rpc.request(`${ownLoopback}:${to.port}`, { method: 'Test.Echo', body, deadlineMs })
}

describe('rpc', () => {
  it('answers many requests on one connection, each with its own answer', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', echo)]
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(a, b, n)))
    expect(answers).toEqual(answers.map((_, n) => ok({ method: 'Test.Echo', body: n })))
    expect(b.peers).toEqual(['a'])
  })

  it('one source takes no more than its share of the places, and leaves the others theirs', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', echo)]
    let [open, closed] = [0, 0]
    const sockets = Array.from({ length: acceptedPerSourceMax + 50 }, () => {
      const socket = connect({ host: ownLoopback, port: b.port, localAddress: '127.0.0.9' })
      // The first bytes of the other side's hello: it has a place.
      socket.once('data', () => open++)
      socket.once('close', () => closed++)
      socket.on('error', () => undefined)
      return socket
    })
    await expect.poll(() => [open, closed]).toEqual([acceptedPerSourceMax, 50])
    expect(await ask(a, b, 1)).toMatchObject({ ok: true })
    sockets[0]?.destroy()
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => closed).toBe(sockets.length)
    const again = connect({ host: ownLoopback, port: b.port, localAddress: '127.0.0.9' })
    await new Promise((resolve) => again.once('data', resolve))
    again.destroy()
  })

  it('a flood of bytes that are no frames is one line a second of the log, with their number', async () => {
    const lines: string[] = []
    const env = createHostEnv({ logSink: (line) => lines.push(line), logLevel: 'debug' })
    envs.push(env)
    const port = await freePort()
    const rpc = await Rpc.open(env, { host: '127.0.0.1', port })
    if (!rpc.ok) throw new Error(rpc.error.kind)
    const identity = { nodeId: 'b', nodeName: 'b', datacenter: 'dc1', address: '' }
    rpc.value.start(identity, { onRequest: echo, onNotice: () => undefined, onPeer: () => undefined })
    const about = () => lines.filter((line) => line.includes('does not follow the protocol between agents'))
    const counted = () => about().reduce((sum, line) => sum + 1 + Number(/suppressed=(\d+)/.exec(line)?.[1] ?? 0), 0)
    const startedMs = performance.now()
    for (let round = 0; round < 10; round++) {
      const closed = Array.from({ length: 20 }, () => {
        const socket = connect({ host: '127.0.0.1', port })
        socket.on('error', () => undefined)
        socket.write(Uint8Array.of(255, 255, 255, 255, 1))
        return new Promise((resolve) => socket.once('close', resolve))
      })
      await Promise.all(closed)
    }
    await expect.poll(counted, { timeout: 5_000 }).toBe(200)
    expect(about().length).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 1_000)
  })

  it('fails a request that no frame can hold, and that one alone', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', async () => ok('heard'))]
    const [little, much] = await Promise.all([ask(a, b, 'little'), ask(a, b, new Uint8Array(9 << 20))])
    expect(little).toEqual(ok('heard'))
    expect(much).toMatchObject({ ok: false, error: { kind: 'too-large' } })
    expect(await ask(a, b, 'later')).toEqual(ok('heard'))
    expect(b.peers).toEqual(['a'])
  })

  it('fails an answer that no frame can hold, and that one alone', async () => {
    const serve: Serve = async ({ body }) => ok(body === 'much' ? new Uint8Array(9 << 20) : body)
    const [a, b] = [await startAgent('a', echo), await startAgent('b', serve)]
    const [little, much] = await Promise.all([ask(a, b, 'little'), ask(a, b, 'much')])
    expect(little).toEqual(ok('little'))
    expect(much).toMatchObject({ ok: false, error: { kind: 'too-large' } })
    expect(await ask(a, b, 'more')).toEqual(ok('more'))
    expect(b.peers).toEqual(['a'])
  })

  it('does not call a write refused whose answer no frame can hold', async () => {
    const long: Serve = async () => ok('x'.repeat(9 << 20))
    const [a, b] = [await startAgent('a', long), await startAgent('b', long)]
    const message =
      'the answer to a write is longer than the limit of 8388608 bytes between agents; the write took effect'
    const at = `${ownLoopback}:${b.port}`
    const write = await a.rpc.request(at, { method: writeMethod, body: 1, deadlineMs: 20_000 })
    expect(write).toEqual(err({ kind: 'outcome-unknown', message, final: true }))
  })

  it('carries what the other side refuses as a value', async () => {
    const refuse: Serve = async () => err({ kind: 'not-leader', leader: '10.0.0.1:8300' })
    const [a, b] = [await startAgent('a', echo), await startAgent('b', refuse)]
    expect(await ask(a, b, 1)).toEqual(err({ kind: 'not-leader', leader: '10.0.0.1:8300' }))
  })

  it('carries a megabyte whole', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', echo)]
    const body = new Uint8Array(1 << 20).fill(7)
    const answer = await ask(a, b, body)
    expect(answer.ok && equalBytes((answer.value as { body: Uint8Array }).body, body)).toBe(true)
  })

  it('tells an address without a listener from a request whose fate is unknown', async () => {
    const a = await startAgent('a', echo)
    const b = await startAgent('b', () => new Promise(() => {}))
    const lost = ask(a, b, 1)
    await expect.poll(() => b.peers).toEqual(['a'])
    b.rpc.stop()
    expect(await lost).toMatchObject({ ok: false, error: { kind: 'connection-lost' } })
    expect(await ask(a, b, 2)).toMatchObject({ ok: false, error: { kind: 'unreachable' } })
  })

  it('dials again when the other side has come back', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', echo)]
    expect((await ask(a, b, 1)).ok).toBe(true)
    b.rpc.stop()
    const again = await startAgent('b', echo, b.port)
    await expect.poll(async () => (await ask(a, again, 2)).ok).toBe(true)
  })

  it('gives up at the deadline and lets the server know', async () => {
    let aborted = 0
    const never: Serve = (request) =>
      new Promise(() => {
        request.onAbort(() => {
          aborted++
        })
      })
    const [a, b] = [await startAgent('a', echo), await startAgent('b', never)]
    expect(await ask(a, b, 1, 30)).toMatchObject({ ok: false, error: { kind: 'deadline-exceeded' } })
    await expect.poll(() => aborted).toBe(1)
  })

  it('lets a caller give up', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', () => new Promise(() => {}))]
    let giveUp: (() => void) | undefined
    const onAbort = (use: () => void): void => {
      giveUp = use
    }
    const asked = a.rpc.request(`${ownLoopback}:${b.port}`, { method: 'x', body: 1, deadlineMs: 60_000, onAbort })
    await expect.poll(() => giveUp !== undefined).toBe(true)
    giveUp?.()
    expect(await asked).toEqual(err({ kind: 'cancelled' }))
  })

  it('sends notices back on the connection that the peer dialled', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', echo)]
    expect((await ask(a, b, 1)).ok).toBe(true)
    // An address without a listener: only the connection that is there can carry it.
    b.rpc.notify('a', `${ownLoopback}:1`, 'raft', utf8('hello'))
    await expect.poll(() => a.notices).toEqual(['b raft 5'])
  })

  it('sends notices on the connection that it dialled itself, also to a peer whose address it does not know', async () => {
    for (const [own, other] of [
      ['a', 'b'],
      ['d', 'c'],
    ] as const) {
      const [from, to] = [await startAgent(own, echo), await startAgent(other, echo)]
      expect((await ask(from, to, 1)).ok).toBe(true)
      from.rpc.notify(other, '', 'raft', utf8('hello'))
      await expect.poll(() => to.notices).toEqual([`${own} raft 5`])
    }
  })

  it('gives no notice to another agent that has taken the place of the one it is for', async () => {
    const [a, b] = [await startAgent('a', echo), await startAgent('b', echo)]
    for (const isDialled of [false, true]) {
      a.rpc.notify('former', `${ownLoopback}:${b.port}`, 'raft', utf8('long'))
      expect((await ask(a, b, isDialled)).ok).toBe(true)
    }
    a.rpc.notify('b', `${ownLoopback}:${b.port}`, 'raft', utf8('x'))
    await expect.poll(() => b.notices).toEqual(['a raft 1'])
  })

  it('closes a connection that does not speak its protocol', async () => {
    const b = await startAgent('b', echo)
    const socket = connect(b.port, ownLoopback)
    const closed = new Promise<boolean>((resolve) => socket.on('close', () => resolve(true)).on('error', () => {}))
    socket.on('data', () => {})
    socket.write('GET / HTTP/1.1\r\n\r\n')
    expect(await closed).toBe(true)
    expect(b.peers).toEqual([])
  })
})

/** Stands in front of an agent: what it does to connections, the agent and its peers do not know the reason of. */
class Front {
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  /** Connections taken so far. */
  taken = 0
  /** Closes each connection as soon as it is there. */
  cutsShort = false
  port = 0
  to = 0

  async open(): Promise<void> {
    const server = createServer((socket) => {
      this.taken++
      if (this.cutsShort) return void socket.destroy()
      const onwards = connect(this.to, ownLoopback)
      for (const end of [socket, onwards]) {
        this.#sockets.add(end)
        end.on('error', () => {})
        end.on('close', () => {
          this.#sockets.delete(end)
          socket.destroy()
          onwards.destroy()
        })
      }
      socket.pipe(onwards).pipe(socket)
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.port, ownLoopback, resolve))
    this.port = (server.address() as { port: number }).port
  }

  /** Takes no connection from now on; those that there are go on. */
  closeListener(): void {
    this.#server?.close()
  }

  breakConnections(): void {
    for (const socket of [...this.#sockets]) socket.destroy()
  }
}

describe('a peer that is lost', () => {
  const fronts: Front[] = []
  afterEach(() => {
    for (const front of fronts.splice(0)) {
      front.closeListener()
      front.breakConnections()
    }
  })

  /** `b` is reached through a front; `a` is connected to it. */
  async function connected(
    watched: (id: string) => boolean = () => true,
  ): Promise<{ readonly a: Agent; readonly b: Agent; readonly front: Front; readonly met: () => Promise<void> }> {
    const front = new Front()
    fronts.push(front)
    await front.open()
    // Not watched by `b`, `a` is not dialled by it either.
    const b = await startAgent('b', echo, 0, { address: `${ownLoopback}:${front.port}`, watched: () => false })
    front.to = b.port
    const a = await startAgent('a', echo, 0, { watched })
    const met = async (): Promise<void> => {
      await expect.poll(async () => (await ask(a, { ...b, port: front.port }, 1)).ok).toBe(true)
    }
    await met()
    return { a, b, front, met }
  }

  it('is gone when its connection closed and the dial after it is refused; that is told once', async () => {
    const { a, front } = await connected()
    front.closeListener()
    front.breakConnections()
    await expect.poll(() => a.gone).toEqual(['b'])
    // Later callers are refused, too, which is not logged again.
    for (let i = 0; i < 3; i++) expect((await ask(a, { ...a, port: front.port }, 1)).ok).toBe(false)
    expect(a.gone).toEqual(['b'])
  })

  it('is not gone when the connection only broke: it is dialled once, and that succeeds', async () => {
    const { a, b, front } = await connected()
    for (const taken of [2, 3, 4]) {
      front.breakConnections()
      await expect.poll(() => b.peers.length).toBe(taken)
    }
    expect(front.taken).toBe(4)
    expect(a.gone).toEqual([])
  })

  it('is not gone while its connection holds, though it takes no new ones for a while', async () => {
    const { a, b, front, met } = await connected()
    front.closeListener()
    await met()
    await front.open()
    front.breakConnections()
    await expect.poll(() => b.peers.length).toBe(2)
    expect(a.gone).toEqual([])
  })

  it('is not gone while it is there on a connection that it has dialled itself', async () => {
    const { a, b, front } = await connected()
    expect((await ask(b, a, 1)).ok).toBe(true)
    expect(a.peers).toEqual(['b', 'b'])
    front.closeListener()
    front.breakConnections()
    await expect.poll(async () => (await ask(a, { ...a, port: front.port }, 2)).ok).toBe(false)
    expect((await ask(b, a, 3)).ok).toBe(true)
    expect(a.gone).toEqual([])
  })

  it('is dialled again after a pause when the dial was cut short, as by a process that is ending', async () => {
    const { a, front } = await connected()
    front.cutsShort = true
    front.breakConnections()
    await expect.poll(() => front.taken).toBeGreaterThanOrEqual(2)
    front.closeListener()
    await expect.poll(() => a.gone).toEqual(['b'])
  })

  it('is given up after a few dials that were all cut short', async () => {
    const { a, front } = await connected()
    front.cutsShort = true
    front.breakConnections()
    await expect.poll(() => front.taken, { timeout: 5_000 }).toBe(6)
    front.closeListener()
    expect((await ask(a, { ...a, port: front.port }, 1)).ok).toBe(false)
    expect(a.gone).toEqual([])
  })

  it('is not dialled when no caller waits', async () => {
    const { a, b, front } = await connected((id) => id !== 'b')
    front.breakConnections()
    // The next request dials, and nothing did before it.
    await expect.poll(async () => (await ask(a, { ...b, port: front.port }, 1)).ok).toBe(true)
    expect(front.taken).toBe(2)
    expect(a.gone).toEqual([])
  })

  it('does not exist for an agent that has stopped', async () => {
    const { a, front } = await connected()
    front.closeListener()
    a.rpc.stop()
    front.breakConnections()
    expect(a.gone).toEqual([])
  })
})
