import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { err, ok, type Result } from '../base/result.ts'
import type { Endpoint, ListenFailure, Udp, UdpSocket } from '../env/net.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { addressProblem, endpointOf, listenFailure } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'

/** The largest payload of a UDP datagram over IPv4. */
const datagramBytesMax = 65_507
/** Maximum size of datagrams that wait to be sent; further ones are dropped. */
const sendQueueBytesMax = 8 << 20
/** Requested from the kernel, which may give less: a burst of gossip must outlast one slow turn. */
const receiveBufferBytes = 2 << 20

export class HostUdp implements Udp {
  readonly #open: OpenThings

  constructor(open: OpenThings) {
    this.#open = open
  }

  bind(
    at: Endpoint,
    onDatagram: (from: Endpoint, bytes: Uint8Array) => void,
  ): Promise<Result<UdpSocket, ListenFailure>> {
    return new Promise((resolve) => {
      const problem = addressProblem(at)
      if (problem !== undefined) {
        setImmediate(() => resolve(err({ kind: 'io', at, message: problem })))
        return
      }
      const socket = createSocket({
        type: isIPv6(at.host) ? 'udp6' : 'udp4',
        lookup: (host, _options, done) => done(null, host, host.includes(':') ? 6 : 4),
      })
      socket.once('error', (cause) => {
        socket.close()
        resolve(err(listenFailure(at, cause)))
      })
      socket.on('message', (bytes, from) => onDatagram(endpointOf(from.address, from.port), plainBytes(bytes)))
      socket.bind({ address: at.host, port: at.port, exclusive: true }, () => {
        socket.removeAllListeners('error')
        // Errors of a bound socket report datagrams that did not arrive, which is always possible.
        socket.on('error', () => undefined)
        growReceiveBuffer(socket)
        resolve(ok(this.#wrap(socket)))
      })
    })
  }

  #wrap(socket: Socket): UdpSocket {
    let closed = false
    const isOfIpv6 = isIPv6(socket.address().address)
    // Most packets go to the same address as the previous one, and comparing two texts is cheaper than parsing an
    // address.
    let known = ''
    let knownHere = ''
    const wrapped: UdpSocket = {
      local: endpointOf(socket.address().address, socket.address().port),
      send: (to, bytes) => {
        if (closed || bytes.length > datagramBytesMax || to.port === 0) return
        if ((to.host !== known || !isPort(to.port)) && addressProblem(to) !== undefined) return
        if (to.host !== known) knownHere = isOfIpv6 ? inIpv6(to.host) : to.host
        known = to.host
        if (socket.getSendQueueSize() > sendQueueBytesMax) return
        // A datagram that could not be sent is a lost datagram: no caller is notified, and a callback would cost a
        // tick.
        socket.send(bytes, to.port, knownHere)
      },
      close: () => {
        if (closed) return
        closed = true
        this.#open.delete(wrapped)
        socket.removeAllListeners('message')
        socket.close()
      },
    }
    this.#open.add(wrapped)
    return wrapped
  }
}

/**
 * An address for a socket of IPv6, which reaches those of IPv4 in their mapped form alone (RFC 4291, section 2.5.5.2) if it
 * is bound to all addresses of the machine. `endpointOf` writes their senders without it.
 */
function inIpv6(host: string): string {
  return host.includes(':') ? host : `::ffff:${host}`
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535
}

function growReceiveBuffer(socket: Socket): void {
  try {
    socket.setRecvBufferSize(receiveBufferBytes)
  } catch (cause) {
    // Some systems refuse a size instead of giving their maximum. The default works, with more loss under bursts.
    if (!(cause instanceof Error)) throw cause
  }
}
