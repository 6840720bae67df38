import {
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type GrpcProbe, probeGrpc } from '../../../src/agent/local/probes/grpc-probe.ts'
import { quietEnv } from './quiet-env.ts'
import { makeTlsMaterial, opensslIsThere } from './tls-material.ts'

interface Asked {
  readonly path: string | undefined
  readonly type: string | undefined
  readonly authority: string | undefined
  readonly body: string
}

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A health service of gRPC that answers as the test says: what it was asked is in `asked`. */
async function listening(server: Http2Server, answer: (stream: ServerHttp2Stream) => void) {
  const asked: Asked[] = []
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, headers) => {
    const pieces: Buffer[] = []
    stream.on('error', () => undefined)
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('end', () => {
      const { ':path': path, 'content-type': type, ':authority': authority } = headers
      asked.push({ path, type, authority, body: Buffer.concat(pieces).toString('hex') })
      answer(stream)
    })
  })
  closing.push(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const port = await listened(server)
  return { asked, target: `127.0.0.1:${port}`, sessions }
}

function listened(server: {
  listen(port: number, host: string, then: () => void): unknown
  address(): unknown
}): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
}

const asGrpc = { ':status': 200, 'content-type': 'application/grpc' } as const

/** Answers with this framed message, in hexadecimal, and these trailers. */
function says(message: string, trailers: Readonly<Record<string, string>> = { 'grpc-status': '0' }) {
  return (stream: ServerHttp2Stream): void => {
    stream.respond(asGrpc, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(Buffer.from(message, 'hex'))
  }
}

/** Without a message, everything in the first headers. */
function refuses(headers: Readonly<Record<string, string>>) {
  return (stream: ServerHttp2Stream): void => stream.respond({ ...asGrpc, ...headers }, { endStream: true })
}

const probe = (target: string, rest: Partial<GrpcProbe> = {}): GrpcProbe => {
  return { kind: 'grpc', target, useTls: false, tlsSkipVerify: false, intervalMs: 1_000, timeoutMs: 10_000, ...rest }
}

const unhealthy = "gRPC application didn't report service healthy"

describe('a gRPC check', () => {
  it('asks the health service for what stands behind the address, and passes where it serves', async () => {
    const { asked, target, sessions } = await listening(createServer(), says('00000000020801'))
    const passing = { status: 'passing', output: `gRPC check ${target}/web.v1: success` }
    expect(await probeGrpc(quietEnv(), probe(`${target}/web.v1`))).toEqual(passing)
    expect((await probeGrpc(quietEnv(), probe(target))).status).toBe('passing')
    const path = '/grpc.health.v1.Health/Check'
    expect(asked).toEqual([
      { path, type: 'application/grpc', authority: target, body: '00000000080a067765622e7631' },
      { path, type: 'application/grpc', authority: target, body: '0000000000' },
    ])
    await expect.poll(() => sessions.size, { timeout: 20_000 }).toBe(0)
  })

  it.each([
    ['NOT_SERVING', says('00000000020802'), unhealthy],
    ['UNKNOWN', says('00000000020800'), unhealthy],
    ['nothing, which is UNKNOWN', says('0000000000'), unhealthy],
    ['SERVICE_UNKNOWN', says('00000000020803'), unhealthy],
    ['no message', says(''), 'rpc error: code = Internal desc = an answer without a message'],
    ['half a message', says('000000000208'), 'rpc error: code = Internal desc = a message of the wrong length'],
    ['no field', says('0000000001ff'), 'rpc error: code = Internal desc = a malformed message'],
    ['what is compressed', says('01000000020801'), 'rpc error: code = Internal desc = a compressed message'],
    [
      'an error in the trailers',
      says('', { 'grpc-status': '14', 'grpc-message': 'down %25' }),
      'rpc error: code = Unavailable desc = down %',
    ],
    [
      'an error alone',
      refuses({ 'grpc-status': '5', 'grpc-message': 'unknown service' }),
      'rpc error: code = NotFound desc = unknown service',
    ],
    ['an error of no name', refuses({ 'grpc-status': '99' }), 'rpc error: code = Code(99) desc = '],
    ['no status', refuses({}), 'rpc error: code = Internal desc = server closed the stream without sending trailers'],
    [
      'another status of HTTP',
      (stream: ServerHttp2Stream) => stream.respond({ ':status': 404 }, { endStream: true }),
      'rpc error: code = Unimplemented desc = unexpected HTTP status code received from server: 404 Not Found',
    ],
  ])('is critical where it is told %s', async (_what, answer, output) => {
    const { target } = await listening(createServer(), answer)
    expect(await probeGrpc(quietEnv(), probe(target))).toEqual({ status: 'critical', output })
  })

  it('of a target without a host asks this machine', async () => {
    const { asked, target } = await listening(createServer(), says('00000000020801'))
    const port = target.slice('127.0.0.1'.length)
    const passing = { status: 'passing', output: `gRPC check ${port}/web: success` }
    expect(await probeGrpc(quietEnv(), probe(`${port}/web`))).toEqual(passing)
    expect(asked.map(({ authority }) => authority)).toEqual([`localhost${port}`])
  })

  it('reads past fields that it does not know', async () => {
    const { target } = await listening(createServer(), says('000000000d12026869180708013d00000000'))
    expect((await probeGrpc(quietEnv(), probe(target))).status).toBe('passing')
  })

  it('breaks off an answer without end', async () => {
    const { target } = await listening(createServer(), says('00'.repeat(100_000)))
    const { status, output } = await probeGrpc(quietEnv(), probe(target))
    expect([status, output]).toEqual([
      'critical',
      'rpc error: code = Unavailable desc = an answer of more than 4096 bytes',
    ])
  })

  it('is critical where no server listens, none answers, or one speaks another protocol', async () => {
    const { target } = await listening(createServer(), () => undefined)
    const late = await probeGrpc(quietEnv(), probe(target, { timeoutMs: 50 }))
    expect(late.output).toBe('rpc error: code = DeadlineExceeded desc = no answer within 50 ms')
    const strange = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    closing.push(() => strange.close())
    const at = `127.0.0.1:${await listened(strange)}`
    expect((await probeGrpc(quietEnv(), probe(at))).output).toMatch(/^rpc error: code = Unavailable desc = ./)
    const named = await probeGrpc(quietEnv(), probe('127.0.0.1:1'))
    expect(named.output).toBe('rpc error: code = Unavailable desc = dial tcp 127.0.0.1:1: connect: connection refused')
    expect((await probeGrpc(quietEnv(), probe('127.0.0.1'))).output).toContain('missing port in address')
  })

  it.skipIf(!opensslIsThere())('speaks TLS where it is told to, and trusts no stranger', async () => {
    const { server } = makeTlsMaterial()
    const secured = createSecureServer({ key: server.privateKeyPem, cert: server.certificateChainPem })
    const { target } = await listening(secured as unknown as Http2Server, says('00000000020801'))
    const lax = await probeGrpc(quietEnv(), probe(target, { useTls: true, tlsSkipVerify: true }))
    expect(lax.status).toBe('passing')
    const strict = await probeGrpc(quietEnv(), probe(target, { useTls: true }))
    expect(strict.status).toBe('critical')
    expect(strict.output).toMatch(/^rpc error: code = Unavailable desc = dial tcp .*certificate/)
    const plain = await probeGrpc(quietEnv(), probe(target))
    expect(plain.status).toBe('critical')
  })
})
