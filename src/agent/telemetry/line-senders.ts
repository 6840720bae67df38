import { utf8 } from '../../base/bytes.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type TcpStream, type UdpSocket } from '../../env/net.ts'
import { placeOf } from '../../rpc/address.ts'
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

  add(line: string): void {
    if (this.#length + line.length > waitingCharactersMax) return
    this.#lines.push(line)
    this.#length += line.length
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

/** Sends many lines in one datagram, without knowing whether they arrive. */
export class UdpLines implements LineSender {
  readonly #env: Env
  readonly #to: Endpoint
  readonly #gathering: Gathering
  #socket: UdpSocket | undefined
  /** The receiver's address, once it is known. */
  #at: Endpoint | undefined
  #retry: Closable | undefined
  #warned = false
  #closed = false

  constructor(env: Env, to: Endpoint) {
    this.#env = env
    this.#to = to
    this.#gathering = new Gathering(env, (lines) => this.#take(lines))
    env.detach(this.#bind())
  }

  send(line: string): void {
    if (!this.#closed) this.#gathering.add(line)
  }

  close(): void {
    this.#closed = true
    this.#gathering.close()
    this.#retry?.close()
    this.#socket?.close()
  }

  async #bind(): Promise<void> {
    this.#at = await placeOf(this.#env, this.#to)
    if (this.#at === undefined) return this.#unknown()
    const at = { host: this.#at.host.includes(':') ? '::' : '0.0.0.0', port: 0 }
    const socket = await this.#env.udp.bind(at, () => undefined)
    if (!socket.ok) {
      this.#closed = true
      const fields = { to: endpointText(this.#to), reason: socket.error.kind }
      this.#env.log.write('warn', 'telemetry', 'metrics cannot be sent', fields)
    } else if (this.#closed) socket.value.close()
    else {
      this.#socket = socket.value
      this.#gathering.flush()
    }
  }

  #unknown(): void {
    if (this.#closed) return
    if (!this.#warned) {
      this.#env.log.write('warn', 'telemetry', 'metrics wait for a name', { to: endpointText(this.#to) })
    }
    this.#warned = true
    this.#retry = this.#env.timers.after(redialMs, () => this.#env.detach(this.#bind()))
  }

  #take(lines: readonly string[]): boolean {
    const socket = this.#socket
    const to = this.#at
    if (socket === undefined || to === undefined) return false
    let datagram = ''
    for (const line of lines) {
      if (datagram !== '' && datagram.length + line.length > datagramCharactersMax) {
        socket.send(to, utf8(datagram))
        datagram = ''
      }
      datagram += line
    }
    if (datagram !== '') socket.send(to, utf8(datagram))
    return true
  }
}

/** Sends lines over one connection, which is opened again when it breaks. */
export class TcpLines implements LineSender {
  readonly #env: Env
  readonly #to: Endpoint
  readonly #gathering: Gathering
  #stream: TcpStream | undefined
  #redial: Closable | undefined
  #warned = false
  #closed = false

  constructor(env: Env, to: Endpoint) {
    this.#env = env
    this.#to = to
    this.#gathering = new Gathering(env, (lines) => this.#take(lines))
    env.detach(this.#dial())
  }

  send(line: string): void {
    if (!this.#closed) this.#gathering.add(line)
  }

  close(): void {
    this.#closed = true
    this.#gathering.close()
    this.#redial?.close()
    this.#stream?.close()
  }

  async #dial(): Promise<void> {
    const to = await placeOf(this.#env, this.#to)
    if (to === undefined) return this.#lost('unknown name')
    const dialled = await this.#env.tcp.dial(to, { timeoutMs: dialTimeoutMs })
    if (!dialled.ok) return this.#lost(dialled.error.kind)
    const stream = dialled.value
    if (this.#closed) {
      stream.onClose(() => undefined)
      return stream.close()
    }
    this.#stream = stream
    this.#warned = false
    // No reply is expected, and none is kept.
    stream.onData(() => undefined)
    stream.onEnd(() => stream.close())
    stream.onClose((why) => {
      this.#stream = undefined
      this.#lost(why)
    })
    this.#gathering.flush()
  }

  #lost(reason: string): void {
    if (this.#closed) return
    const fields = { to: endpointText(this.#to), reason }
    if (!this.#warned) this.#env.log.write('warn', 'telemetry', 'metrics wait for a connection', fields)
    this.#warned = true
    this.#redial = this.#env.timers.after(redialMs, () => this.#env.detach(this.#dial()))
  }

  #take(lines: readonly string[]): boolean {
    const stream = this.#stream
    if (stream === undefined || stream.queuedBytes() > waitingCharactersMax) return false
    stream.write(utf8(lines.join('')))
    return true
  }
}
