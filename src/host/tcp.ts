import { connect, createServer, type Server, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { err, ok, type Result } from '../base/result.ts'
import { SourceShares } from '../base/source-shares.ts'
import type {
  DialFailure,
  DialOptions,
  Endpoint,
  ListenerTls,
  ListenFailure,
  PeerCertificate,
  Tcp,
  TcpListener,
  TcpStream,
  TlsOptions,
} from '../env/net.ts'
import { endpointText } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { nodeDelay } from './async.ts'
import { addressProblem, dialFailure, endpointOf, listenFailure, tlsFault } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'
import { codeOf, messageOf } from './system-error.ts'
import { HostTcpStream } from './tcp-stream.ts'
import { diallerTls, provenPeer, tlsProblem, withoutChain } from './tls.ts'
import { TlsAcceptor } from './tls-acceptor.ts'

/** Maximum number of streams that one listener holds; further diallers are dropped. */
const acceptedStreamsMax = 8192
/**
 * Maximum share of one source: half, because all connections of a node to one service come from one address. Includes
 * connections in the middle of a handshake, which are not counted elsewhere.
 */
export const streamsPerSourceMax = acceptedStreamsMax / 2

/**
 * Takes a place in the share of a source; undefined: its share is used up. The machine itself is not limited to a
 * share, because all connections of its services to one upstream go through one listener of a proxy.
 */
export function placeFor(shares: SourceShares, host: string): (() => void) | undefined {
  return /^(127\.|::1$|::ffff:127\.)/i.test(host) ? () => undefined : shares.take(host)
}

/** Number of diallers that the kernel keeps waiting while the agent is busy. */
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
        // Errors of an abandoned socket do not matter, but without a listener they would end the process.
        each.on('error', () => undefined)
        each.destroy()
      }
    }
    const failed = (cause: Error): void => fail(this.#dialFailure(to, cause, socket !== raw))
    const timer = setTimeout(() => fail({ kind: 'timeout', to }), nodeDelay(timeoutMs))
    const guard = { close: () => fail({ kind: 'io', to, message: 'shutting down' }) }
    this.#open.add(guard)
    raw.on('error', failed)
    const succeed = (ready: Socket, peer?: PeerCertificate): void =>
      settle(ok(new HostTcpStream(ready, raw, this.#open, peer)))
    const secure = (tls: TlsOptions): void => {
      try {
        const secured = withoutChain(tlsConnect({ socket: raw, ...diallerTls(tls, to) }))
        socket = secured
        secured.on('error', failed)
        secured.once('secureConnect', () => succeed(secured, provenPeer(secured)))
      } catch (cause) {
        // A key or certificate that does not parse.
        fail({ kind: 'tls', to, fault: 'other', message: messageOf(cause) })
      }
    }
    return { succeed, secure }
  }

  /**
   * A peer that disconnects in the middle of the handshake has refused it: a demand for a certificate looks like that.
   */
  #dialFailure(to: Endpoint, cause: Error, handshaking: boolean): DialFailure {
    const failure = dialFailure(to, cause)
    if (!handshaking || (failure.kind !== 'io' && failure.kind !== 'tls')) return failure
    const fault = tlsFault(cause)
    return { kind: 'tls', to, fault, message: fault === 'plain' ? 'the listener does not speak TLS' : failure.message }
  }

  listen(
    at: Endpoint,
    onStream: (stream: TcpStream) => void,
    tls?: ListenerTls,
  ): Promise<Result<TcpListener, ListenFailure>> {
    return new Promise((resolve) => {
      const problem = addressProblem(at) ?? (tls === undefined ? undefined : tlsProblem(tls))
      if (problem !== undefined) {
        setImmediate(() => resolve(err({ kind: 'io', at, message: problem })))
        return
      }
      const server = createServer({ allowHalfOpen: true })
      server.maxConnections = acceptedStreamsMax
      let take = this.#taking(tls, onStream)
      const shares = new SourceShares(streamsPerSourceMax)
      server.on('connection', (raw) => {
        const from = raw.remoteAddress ?? ''
        const release = placeFor(shares, from)
        if (release === undefined) {
          const text = `refused a connection: its address has ${streamsPerSourceMax} connections to this port already`
          this.#log.write('warn', 'net', text, { from, port: at.port }, 'sampled')
          return void raw.destroy()
        }
        raw.once('close', release)
        take(raw)
      })
      const renewTls = (next: ListenerTls | undefined): void => {
        take = this.#taking(next, onStream)
      }
      server.once('error', (cause) => resolve(err(listenFailure(at, cause))))
      server.listen({ host: at.host, port: at.port, backlog, exclusive: true }, () => {
        server.removeAllListeners('error')
        server.on('error', (cause) => {
          this.#log.write('warn', 'net', 'could not accept a connection', { error: codeOf(cause) }, 'sampled')
        })
        resolve(ok(this.#listener(server, renewTls)))
      })
    })
  }

  tlsProblem(tls: TlsOptions): string | undefined {
    return tlsProblem(tls)
  }

  #taking(tls: ListenerTls | undefined, onStream: (stream: TcpStream) => void): (raw: Socket) => void {
    if (tls === undefined) return (raw) => onStream(new HostTcpStream(raw, raw, this.#open))
    const acceptor = new TlsAcceptor(tls, { onStream, open: this.#open, log: this.#log })
    return (raw) => acceptor.take(raw)
  }

  #listener(server: Server, renewTls: TcpListener['renewTls']): TcpListener {
    const address = server.address()
    const local =
      typeof address === 'object' && address !== null ? endpointOf(address.address, address.port) : undefined
    const listener: TcpListener = {
      local: local ?? { host: '', port: 0 },
      renewTls,
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
