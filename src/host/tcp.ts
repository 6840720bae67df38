import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls'
import { err, ok, type Result } from '../base/result.ts'
import type {
  DialFailure,
  DialOptions,
  Endpoint,
  ListenFailure,
  Tcp,
  TcpListener,
  TcpStream,
  TlsOptions,
} from '../env/net.ts'
import { endpointText } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { nodeDelay } from './async.ts'
import { addressProblem, dialFailure, endpointOf, listenFailure } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'
import { codeOf, messageOf } from './system-error.ts'
import { HostTcpStream } from './tcp-stream.ts'
import { diallerTls, listenerTls } from './tls.ts'

/** Streams that one listener holds at a time; further diallers are dropped. */
const acceptedStreamsMax = 8192
/** Diallers that the kernel keeps waiting while the agent is busy. */
const backlog = 1024

export class HostTcp implements Tcp {
  readonly #open: OpenThings
  readonly #log: Log

  constructor(open: OpenThings, log: Log) {
    this.#open = open
    this.#log = log
  }

  dial(to: Endpoint, options: DialOptions): Promise<Result<TcpStream, DialFailure>> {
    return new Promise((resolve) => {
      const problem = addressProblem(to)
      if (problem !== undefined) {
        setImmediate(() => resolve(err({ kind: 'io', to, message: problem })))
        return
      }
      const raw = connect({ host: to.host, port: to.port, allowHalfOpen: true })
      const attempt = this.#attempt(to, raw, options.timeoutMs, resolve)
      raw.once('connect', () => {
        if (options.tls === undefined) attempt.succeed(raw)
        else attempt.secure(options.tls)
      })
    })
  }

  /** The state of one dial: it ends once, by success, failure, timeout or the closing of the Env. */
  #attempt(to: Endpoint, raw: Socket, timeoutMs: number, resolve: (end: Result<TcpStream, DialFailure>) => void) {
    let socket = raw
    const settle = (end: Result<TcpStream, DialFailure>): void => {
      clearTimeout(timer)
      this.#open.delete(guard)
      for (const each of [raw, socket]) each.off('error', failed)
      resolve(end)
    }
    const fail = (failure: DialFailure): void => {
      settle(err(failure))
      for (const each of [raw, socket]) {
        // What an abandoned socket still has to say is of no use to anyone, but unheard it would end the process.
        each.on('error', () => undefined)
        each.destroy()
      }
    }
    const failed = (cause: Error): void => fail(this.#dialFailure(to, cause, socket !== raw))
    const timer = setTimeout(() => fail({ kind: 'timeout', to }), nodeDelay(timeoutMs))
    const guard = { close: () => fail({ kind: 'io', to, message: 'shutting down' }) }
    this.#open.add(guard)
    raw.on('error', failed)
    const succeed = (ready: Socket): void => settle(ok(new HostTcpStream(ready, raw, this.#open)))
    const secure = (tls: TlsOptions): void => {
      try {
        const secured = tlsConnect({ socket: raw, ...diallerTls(tls, to) })
        socket = secured
        secured.on('error', failed)
        secured.once('secureConnect', () => succeed(secured))
      } catch (cause) {
        // A key or certificate that does not parse.
        fail({ kind: 'tls', to, message: messageOf(cause) })
      }
    }
    return { succeed, secure }
  }

  /** A peer that hangs up in the middle of the handshake has refused it: that is how a demand for a certificate shows. */
  #dialFailure(to: Endpoint, cause: Error, handshaking: boolean): DialFailure {
    const failure = dialFailure(to, cause)
    if (!handshaking || failure.kind !== 'io') return failure
    return { kind: 'tls', to, message: failure.message }
  }

  listen(
    at: Endpoint,
    onStream: (stream: TcpStream) => void,
    tls?: TlsOptions,
  ): Promise<Result<TcpListener, ListenFailure>> {
    return new Promise((resolve) => {
      const problem = addressProblem(at)
      if (problem !== undefined) {
        setImmediate(() => resolve(err({ kind: 'io', at, message: problem })))
        return
      }
      const server = createServer({ allowHalfOpen: true })
      server.maxConnections = acceptedStreamsMax
      try {
        if (tls === undefined) server.on('connection', (raw) => onStream(new HostTcpStream(raw, raw, this.#open)))
        else this.#acceptTls(server, tls, onStream)
      } catch (cause) {
        setImmediate(() => resolve(err({ kind: 'io', at, message: messageOf(cause) })))
        return
      }
      server.once('error', (cause) => resolve(err(listenFailure(at, cause))))
      server.listen({ host: at.host, port: at.port, backlog, exclusive: true }, () => {
        server.removeAllListeners('error')
        server.on('error', (cause) => {
          this.#log.write('warn', 'net', 'could not accept a connection', { error: codeOf(cause) })
        })
        resolve(ok(this.#listener(server)))
      })
    })
  }

  /**
   * The TLS server never listens: it is given the sockets of a plain one, so that the socket under each stream is known.
   * Node does not say which it was; its two addresses do.
   */
  #acceptTls(server: Server, tls: TlsOptions, onStream: (stream: TcpStream) => void): void {
    const handshaking = new Map<string, Socket>()
    const secure = createTlsServer({ ...listenerTls(tls), allowHalfOpen: true })
    secure.on('secureConnection', (socket) => {
      const raw = handshaking.get(keyOf(socket))
      handshaking.delete(keyOf(socket))
      onStream(new HostTcpStream(socket, raw ?? socket, this.#open))
    })
    secure.on('tlsClientError', (cause, socket) => {
      this.#log.write('debug', 'net', 'a TLS handshake failed', { error: codeOf(cause) })
      socket.destroy()
    })
    server.on('connection', (raw) => {
      const key = keyOf(raw)
      handshaking.set(key, raw)
      raw.once('close', () => {
        if (handshaking.get(key) === raw) handshaking.delete(key)
      })
      secure.emit('connection', raw)
    })
  }

  #listener(server: Server): TcpListener {
    const address = server.address()
    const local =
      typeof address === 'object' && address !== null ? endpointOf(address.address, address.port) : undefined
    const listener: TcpListener = {
      local: local ?? { host: '', port: 0 },
      close: () => {
        this.#open.delete(listener)
        server.close()
      },
    }
    this.#open.add(listener)
    this.#log.write('trace', 'net', 'listening', { at: endpointText(listener.local) })
    return listener
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`
}
