import { utf8 } from '../../base/bytes.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type ListenFailure, type UdpSocket } from '../../env/net.ts'
import { isAddress, placeOf } from '../../rpc/address.ts'
import type { LineSender } from './statsd-lines.ts'

/** Time for which lines are gathered into one send. */
const gatherMs = 100
/** Maximum size of a datagram, so that it fits into one Ethernet packet. */
const datagramCharactersMax = 1_400
/** Maximum size of waiting lines; further ones are dropped. */
const waitingCharactersMax = 1 << 20
/** Pause before a connection that failed is opened again. */
const redialMs = 5_000
const dialTimeoutMs = 5_000
/** Minimum interval between two lookups of the name of a receiver to which datagrams are sent. */
const resolveAgainMs = 60_000

/** Gathers lines for a moment, within the limit. */
class Gathering implements Closable {
  readonly #env: Env
  readonly #flush: (lines: readonly string[]) => boolean
  #lines: string[] = []
  #length = 0
  #timer: Closable | undefined

  /** `flush` returns whether it has taken the lines; otherwise they wait on. */
  constructor(env: Env, flush: (lines: readonly string[]) => boolean) {
    this.#env = env
    this.#flush = flush
  }

  /** A line for which there is no room is lost. It may nevertheless be what finds out that those before it can be sent. */
  add(line: string): void {
    if (this.#length + line.length <= waitingCharactersMax) {
      this.#lines.push(line)
      this.#length += line.length
    }
    this.#timer ??= this.#env.timers.after(gatherMs, () => {
      this.#timer = undefined
      this.flush()
    })
  }

  flush(): void {
    if (this.#lines.length === 0 || !this.#flush(this.#lines)) return
    this.#lines = []
    this.#length = 0
  }

  close(): void {
    this.#timer?.close()
    this.#lines = []
    this.#length = 0
  }
}

/** An open way to the receiver. */
interface Carrier extends Closable {
  /** Returns whether it has taken the lines; otherwise they wait on. */
  take(lines: readonly string[]): boolean
}

/** A way that was opened, or what the log says of why no way could be opened yet. */
type Opened = { readonly carrier: Carrier } | { readonly message: string; readonly reason?: string }

/** Gathers lines and hands them to a carrier, which is opened again after a pause when there is none. */
class Lines implements LineSender {
  readonly #env: Env
  readonly #to: Endpoint
  readonly #open: (onLost: (message: string, reason: string) => void) => Promise<Opened>
  readonly #gathering: Gathering
  #carrier: Carrier | undefined
  #retry: Closable | undefined
  #warned = false
  #closed = false

  constructor(env: Env, to: Endpoint, open: (onLost: (message: string, reason: string) => void) => Promise<Opened>) {
    this.#env = env
    this.#to = to
    this.#open = open
    this.#gathering = new Gathering(env, (lines) => this.#carrier?.take(lines) === true)
    env.detach(this.#begin())
  }

  send(line: string): void {
    if (!this.#closed) this.#gathering.add(line)
  }

  close(): void {
    this.#closed = true
    this.#gathering.close()
    this.#retry?.close()
    this.#carrier?.close()
  }

  async #begin(): Promise<void> {
    let isLost = false
    const opened = await this.#open((message, reason) => {
      isLost = true
      this.#carrier = undefined
      this.#wait(message, reason)
    })
    if ('message' in opened) this.#wait(opened.message, opened.reason)
    else if (isLost) return
    else if (this.#closed) opened.carrier.close()
    else {
      this.#carrier = opened.carrier
      this.#warned = false
      this.#gathering.flush()
    }
  }

  #wait(message: string, reason: string | undefined): void {
    if (this.#closed) return
    const to = endpointText(this.#to)
    if (!this.#warned) this.#env.log.write('warn', 'telemetry', message, reason === undefined ? { to } : { to, reason })
    this.#warned = true
    this.#retry = this.#env.timers.after(redialMs, () => this.#env.detach(this.#begin()))
  }
}

/** Sends many lines in one datagram, without knowing whether they arrive. */
export function udpLines(env: Env, to: Endpoint): LineSender {
  return new Lines(env, to, async () => {
    const place = await placeOf(env, to)
    if (place === undefined)
      return { message: 'metrics are not sent: the host name of their receiver cannot be resolved' }
    const socket = await socketFor(env, place)
    if (!socket.ok) {
      const message = 'metrics are not sent: no socket can be opened for them'
      return { message, reason: 'message' in socket.error ? socket.error.message : socket.error.kind }
    }
    return { carrier: new Datagrams(env, to, place, socket.value) }
  })
}

function socketFor({ udp }: Env, { host }: Endpoint): Promise<Result<UdpSocket, ListenFailure>> {
  return udp.bind({ host: host.includes(':') ? '::' : '0.0.0.0', port: 0 }, () => undefined)
}

/**
 * Sends datagrams to the present address of the receiver. No datagram shows whether it arrived, so the name is resolved
 * anew while lines are sent, at most once in each interval. The last known address counts while that fails.
 */
class Datagrams implements Carrier {
  readonly #env: Env
  readonly #to: Endpoint
  #place: Endpoint
  #socket: UdpSocket
  #resolvedMs: number
  #resolving = false
  #closed = false

  constructor(env: Env, to: Endpoint, place: Endpoint, socket: UdpSocket) {
    this.#env = env
    this.#to = to
    this.#place = place
    this.#socket = socket
    this.#resolvedMs = env.clock.monoMs()
  }

  take(lines: readonly string[]): boolean {
    const isDue = this.#env.clock.monoMs() >= this.#resolvedMs + resolveAgainMs
    if (isDue && !this.#resolving && !isAddress(this.#to.host)) {
      this.#resolving = true
      this.#env.detach(this.#resolve())
    }
    sendDatagrams(this.#socket, this.#place, lines)
    return true
  }

  close(): void {
    this.#closed = true
    this.#socket.close()
  }

  async #resolve(): Promise<void> {
    const place = await placeOf(this.#env, this.#to)
    if (place !== undefined && place.host !== this.#place.host) await this.#moveTo(place)
    this.#resolvedMs = this.#env.clock.monoMs()
    this.#resolving = false
  }

  /** A socket of one family sends nothing to addresses of the other. */
  async #moveTo(place: Endpoint): Promise<void> {
    const isOfFamily = place.host.includes(':') === this.#place.host.includes(':')
    const socket = isOfFamily ? undefined : await socketFor(this.#env, place)
    if (socket?.ok === false) return
    if (this.#closed) return socket?.value.close()
    if (socket !== undefined) {
      this.#socket.close()
      this.#socket = socket.value
    }
    this.#place = place
    this.#env.log.write('info', 'telemetry', 'the receiver of metrics has another address', {
      receiver: endpointText(this.#to),
      to: endpointText(place),
    })
  }
}

function sendDatagrams(socket: UdpSocket, to: Endpoint, lines: readonly string[]): void {
  let datagram = ''
  for (const line of lines) {
    if (datagram !== '' && datagram.length + line.length > datagramCharactersMax) {
      socket.send(to, utf8(datagram))
      datagram = ''
    }
    datagram += line
  }
  if (datagram !== '') socket.send(to, utf8(datagram))
}

/** Sends lines over one connection, which is opened again when it breaks. */
export function tcpLines(env: Env, to: Endpoint): LineSender {
  const message = 'metrics are not sent: there is no connection to their receiver'
  return new Lines(env, to, async (onLost) => {
    const place = await placeOf(env, to)
    if (place === undefined) return { message, reason: 'its host name cannot be resolved' }
    const dialled = await env.tcp.dial(place, { timeoutMs: dialTimeoutMs })
    if (!dialled.ok) return { message, reason: dialled.error.kind }
    const stream = dialled.value
    // No reply is expected, and none is kept.
    stream.onData(() => undefined)
    stream.onEnd(() => stream.close())
    stream.onClose((why) => onLost(message, why))
    const take = (lines: readonly string[]): boolean => {
      if (stream.queuedBytes() > waitingCharactersMax) return false
      stream.write(utf8(lines.join('')))
      return true
    }
    return { carrier: { take, close: () => stream.close() } }
  })
}
