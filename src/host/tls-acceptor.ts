import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { byteAt } from '../base/items.ts'
import type { Endpoint, ListenerTls, TlsRefusal } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { endpointOf } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'
import { codeOf, messageOf } from './system-error.ts'
import { HostTcpStream } from './tcp-stream.ts'
import { handshakeTimeoutMs, listenerTls, provenPeer } from './tls.ts'

interface Accepting {
  readonly onStream: (stream: HostTcpStream) => void
  readonly open: OpenThings
  readonly log: Log
}

/**
 * Makes streams of the sockets that a plain server has accepted, under one set of TLS options. The inner TLS server
 * never listens: it is given the sockets, so that the one under each stream is known. Node does not tell which it was,
 * but its two addresses do.
 */
export class TlsAcceptor {
  readonly #tls: ListenerTls
  readonly #accepting: Accepting
  readonly #secure: Server
  readonly #handshaking = new Map<string, Socket>()
  /** Addresses of the sockets that were given to the TLS server: a closed one no longer has them. */
  readonly #from = new WeakMap<Socket, Endpoint>()

  constructor(tls: ListenerTls, accepting: Accepting) {
    this.#tls = tls
    this.#accepting = accepting
    this.#secure = createServer({ ...listenerTls(tls), allowHalfOpen: true })
    this.#secure.on('secureConnection', (socket) => {
      const raw = this.#handshaking.get(keyOf(socket))
      this.#handshaking.delete(keyOf(socket))
      accepting.onStream(new HostTcpStream(socket, raw ?? socket, accepting.open, provenPeer(socket)))
    })
    this.#secure.on('tlsClientError', (cause, socket) => {
      this.#refused(this.#from.get(under(socket)) ?? endpointOf('', 0), refusalOf(cause, socket))
      socket.destroy()
    })
  }

  take(raw: Socket): void {
    // Without a listener, a reset would end the process.
    raw.on('error', () => raw.destroy())
    const guard = { close: () => void raw.destroy() }
    this.#accepting.open.add(guard)
    raw.once('close', () => this.#accepting.open.delete(guard))
    whenFirstByte(raw, (byte) => {
      if (byte === handshakeByte) this.#shakeHands(raw)
      else if (this.#tls.plainToo === true) {
        this.#accepting.onStream(new HostTcpStream(raw, raw, this.#accepting.open))
      } else {
        this.#refused(endpointOf(raw.remoteAddress, raw.remotePort), { kind: 'plain' })
        raw.destroy()
      }
    })
  }

  #shakeHands(raw: Socket): void {
    const key = keyOf(raw)
    this.#handshaking.set(key, raw)
    this.#from.set(raw, endpointOf(raw.remoteAddress, raw.remotePort))
    raw.once('close', () => {
      if (this.#handshaking.get(key) === raw) this.#handshaking.delete(key)
    })
    this.#secure.emit('connection', raw)
  }

  #refused(from: Endpoint, why: TlsRefusal): void {
    this.#accepting.log.write('debug', 'net', 'a dialler was not taken', { from: from.host, why: why.kind }, 'sampled')
    this.#tls.onRefused?.(from, why)
  }
}

/** Node's private reference to the socket under one that failed; used only for the log. */
function under(socket: TLSSocket): Socket {
  return (socket as { _parent?: Socket })._parent ?? socket
}

/**
 * A missing certificate fails the handshake. One that does not lead to a trusted root lets it complete, and Node then
 * drops the socket, which has the reason.
 */
function refusalOf(cause: Error, socket: TLSSocket): TlsRefusal {
  if (codeOf(cause) === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') return { kind: 'no-certificate' }
  // Its declared type is an error, but it is an error's code.
  const untrusted: unknown = socket.authorizationError
  if (untrusted !== null && untrusted !== undefined && untrusted !== '') {
    return { kind: 'untrusted', message: String(untrusted).toLowerCase().replaceAll('_', ' ') }
  }
  return { kind: 'handshake', message: messageOf(cause) }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`
}

/** The first byte of a TLS handshake. RFC 8446, section 5.1. */
export const handshakeByte = 0x16

/** Calls `use` with the first byte, which remains to be read; a dialler that sends nothing in time is dropped. */
export function whenFirstByte(raw: Socket, use: (byte: number) => void): void {
  const timer = setTimeout(() => raw.destroy(), handshakeTimeoutMs)
  const over = (): void => {
    clearTimeout(timer)
    raw.off('readable', look)
    raw.off('end', gone)
    raw.off('close', over)
  }
  const gone = (): void => void raw.destroy()
  const look = (): void => {
    const first = raw.read(1) as Uint8Array | null
    if (first === null) return
    over()
    raw.unshift(first)
    use(byteAt(first, 0))
  }
  raw.on('readable', look)
  raw.once('end', gone)
  raw.once('close', over)
}
