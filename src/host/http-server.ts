import { rmSync } from 'node:fs'
import { link, lstat, unlink } from 'node:fs/promises'
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { err, ok, type Result } from '../base/result.ts'
import { SourceShares } from '../base/source-shares.ts'
import type { HttpHandler, HttpListener, SocketAccess } from '../env/http.ts'
import type { Endpoint, ListenFailure, TlsOptions } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { HeldBodies } from './http-body.ts'
import { HttpConnection, type HttpServing } from './http-connection.ts'
import { clientsMemory } from './http-memory.ts'
import { addressProblem, endpointOf, listenFailure } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'
import { giveSocket, socketPathOf } from './socket-access.ts'
import { codeOf, messageOf } from './system-error.ts'
import { askedOfDiallers, contextOptions, listenerTls } from './tls.ts'
import { handshakeByte, whenFirstByte } from './tls-acceptor.ts'

/** Connections that one listener holds at a time; further ones are dropped by the system's accept. */
const httpConnectionsMax = 8192
/** Maximum share of one source: half. Clients on the agent's own machine are many, and share one address. */
const httpConnectionsPerSourceMax = httpConnectionsMax / 2
/** Maximum size of request line and headers together; more is answered with 431. */
const headBytesMax = 64 << 10
/** Timeout from the first byte of a request, or of the connection, to the end of its headers. */
const headTimeoutMs = 20_000
/**
 * An idle connection is kept longer than the 90 s after which clients of the field close theirs, so that none is closed
 * during a request.
 */
const keepAliveMs = 120_000

const serverOptions: ServerOptions = {
  maxHeaderSize: headBytesMax,
  headersTimeout: headTimeoutMs,
  // A body has its time by its size: see http-pace.ts. Answers have no timeout: a blocking query takes ten minutes.
  requestTimeout: 0,
  keepAliveTimeout: keepAliveMs,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
  keepAlive: true,
  // Node would answer and then serve the following bytes of the connection: see http-connection.ts.
  requireHostHeader: false,
}

/**
 * Fastify owns the listener, its connections and their end. Requests do not pass through it, because the routes are one
 * table for both worlds in `http/`: everything that Fastify would do to a target, a body or a header on the way
 * (decode, refuse, parse, convert to lower case) would differ from the simulator.
 */
export async function serveHttp(
  at: Endpoint,
  handler: HttpHandler,
  { tls, access }: { readonly tls: TlsOptions | undefined; readonly access: SocketAccess | undefined },
  open: OpenThings,
  log: Log,
): Promise<Result<HttpListener, ListenFailure>> {
  const path = socketPathOf(at.host)
  const problem = path === undefined ? addressProblem(at) : undefined
  if (problem !== undefined) return err({ kind: 'io', at, message: problem })
  try {
    if (path !== undefined) await removeAbandonedSocket(path)
    const serving: HttpServing = {
      handler,
      log,
      bodies: new HeldBodies(),
      memory: clientsMemory(log),
      compressed: new WeakMap(),
      texts: new WeakMap(),
      streams: new Set(),
      closing: false,
    }
    const app = await hostedBy(serving, tls)
    // Bound under a temporary name until its permissions are set: `bind` alone would admit other users.
    const aside = path === undefined ? undefined : `${path}.new`
    if (aside !== undefined) await removeAbandonedSocket(aside)
    const where = aside === undefined ? { host: at.host, port: at.port } : { path: aside }
    await app.listen({ ...where, backlog: 1024, exclusive: true })
    if (path !== undefined && aside !== undefined) {
      const refused = await nameSocket(aside, path, access)
      if (refused !== undefined) {
        await app.close()
        return typeof refused === 'string'
          ? err({ kind: 'io', at, message: refused })
          : err(listenFailure(at, refused.cause))
      }
    }
    app.server.on('error', (cause) =>
      log.write('warn', 'http', 'could not accept a connection', { error: codeOf(cause) }, 'sampled'),
    )
    return ok(listenerOf(app, serving, open, path))
  } catch (cause) {
    return err(listenFailure(at, cause))
  }
}

/**
 * Sets owner and permissions of a socket, and only then gives it its name. A name in use keeps its present file,
 * whether it is another agent's socket or any other file: hence `link`, which fails where `rename` would replace.
 */
async function nameSocket(
  aside: string,
  path: string,
  access: SocketAccess | undefined,
): Promise<string | { readonly cause: unknown } | undefined> {
  try {
    const refused = access === undefined ? undefined : await giveSocket(aside, access)
    if (refused === undefined) await link(aside, path)
    await unlink(aside)
    return refused
  } catch (cause) {
    rmSync(aside, { force: true })
    return { cause }
  }
}

/** A socket that a killed agent left is replaced; one with a listener is in use, like a port. */
async function removeAbandonedSocket(path: string): Promise<void> {
  const stats = await lstat(path).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  })
  if (stats?.isSocket() === true && !(await somebodyListens(path))) await unlink(path)
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function hostedBy(serving: HttpServing, tls: TlsOptions | undefined): Promise<FastifyInstance> {
  // Imported here, because most commands of `svc` serve nothing and should not wait for what they do not use.
  const { fastify } = await import('fastify')
  const [http, https] = [await import('node:http'), await import('node:https')]
  const connections = new WeakMap<Socket, HttpConnection>()
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    let connection = connections.get(socket)
    if (connection === undefined) {
      connection = new HttpConnection(socket, serving)
      connections.set(socket, connection)
    }
    connection.take(request, response, request.url ?? '')
  }
  const listener =
    tls === undefined
      ? http.createServer(serverOptions, take)
      : answeringPlain(https.createServer({ ...serverOptions, ...listenerTls(tls) }, take))
  const shares = new SourceShares(httpConnectionsPerSourceMax)
  // Runs before Node and TLS see the connection. A Unix socket has no address; file permissions decide which users may
  // connect.
  listener.prependListener('connection', (raw: Socket) => {
    if (raw.remoteAddress === undefined) return
    const release = shares.take(raw.remoteAddress)
    if (release === undefined) raw.destroy()
    else raw.once('close', release)
  })
  const app = fastify({
    serverFactory: () => listener,
    pluginTimeout: 0,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    clientErrorHandler: (cause, socket) => refuse(cause, socket as Socket, connections.get(socket as Socket)),
  }) as unknown as FastifyInstance
  app.server.maxConnections = httpConnectionsMax
  // A client that has sent all its requests may still read: by default Node would drop the answer. It would also drop each
  // header after the first 2,000, such as the one with the length of the body, which would count as empty.
  Object.assign(app.server, { httpAllowHalfOpen: true, maxHeadersCount: 0 })
  return app
}

/** In the place of Fastify's compilers of schemas: no request passes through a route of Fastify, so none has a schema. */
function noSchemas(): never {
  throw new Error('the listener has no schemas to compile')
}

/** The answer of the field's servers. */
const plainAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'

/** Distinguishes TLS by its first byte from plain HTTP, whose clients would otherwise only see the connection end. */
function answeringPlain<T extends TlsServer>(server: T): T {
  const shakeHands = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (raw: Socket) => {
    // Without a listener, a reset would end the process.
    const gone = (): void => void raw.destroy()
    raw.on('error', gone)
    whenFirstByte(raw, (byte) => {
      raw.off('error', gone)
      if (byte === handshakeByte) for (const shake of shakeHands) shake.call(server, raw)
      else {
        raw.on('error', gone)
        raw.end(plainAnswer, () => raw.destroySoon())
      }
    })
  })
  return server
}

/** Answers bytes that are not a request. Nothing may be written between the parts of an answer that is being sent. */
function refuse(cause: Error, socket: Socket, connection: HttpConnection | undefined): void {
  // The next answer says so already, and ends the connection.
  if (connection?.refusing === true) return
  const code = codeOf(cause)
  // An error outside HTTP cannot be answered in HTTP: a reset, a failed TLS handshake.
  if (!/^(HPE_|ERR_HTTP_)/.test(code) || !socket.writable || connection?.busy === true) {
    socket.destroy()
    return
  }
  const status =
    code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n`
  socket.end(`${head}Content-Length: ${status.length}\r\n\r\n${status}`, () => socket.destroySoon())
}

/** `socketPath`: the path of a Unix socket. */
function listenerOf(app: FastifyInstance, serving: HttpServing, open: OpenThings, socketPath?: string): HttpListener {
  const address = app.server.address()
  const local = typeof address === 'object' && address !== null ? endpointOf(address.address, address.port) : undefined
  const stop = (): void => {
    if (serving.closing) return
    serving.closing = true
    for (const end of serving.streams) end()
    // At once, because Fastify would do so some turns later: no connection is accepted after `close`.
    app.server.close()
    // The name is removed at once as well: the code that ends the process waits for no event of the server.
    if (socketPath !== undefined) rmSync(socketPath, { force: true })
    app.close().catch((cause: unknown) => {
      serving.log.write('warn', 'http', 'a listener did not close properly', { error: messageOf(cause) })
    })
  }
  const whole = {
    close: () => {
      stop()
      app.server.closeAllConnections()
    },
  }
  open.add(whole)
  app.server.once('close', () => open.delete(whole))
  const renewTls = (tls: TlsOptions): void => {
    // Node reads at each connection what is required of diallers.
    if (app.server instanceof TlsServer)
      Object.assign(app.server, askedOfDiallers(tls)).setSecureContext(contextOptions(tls))
  }
  return { local: local ?? { host: '', port: 0 }, close: stop, renewTls }
}
