import { err, ok, type Result } from '../../src/base/result.ts'
import type { Timers } from '../../src/env/clock.ts'
import type {
  Http,
  Http2Response,
  HttpClientFailure,
  HttpClientRequest,
  HttpHandler,
  HttpListener,
} from '../../src/env/http.ts'
import type { Endpoint, ListenFailure, Tcp, TcpStream, TlsOptions } from '../../src/env/net.ts'
import type { Log } from '../../src/env/observe.ts'
import type { Boot } from '../world/boot.ts'
import type { HttpAnswer } from './http-client.ts'
import { HttpConnections } from './http-connections.ts'
import { areSendable, isSendableLine } from './http-frame.ts'
import { HttpServerConnection, type HttpServing } from './http-server.ts'
import type { Machine } from './machine.ts'

/**
 * HTTP over simulated streams. Requests and responses are sent whole and undecoded, in frames: parsing HTTP/1.1 is the
 * task of `src/host`. Connections are kept for later requests, unless they speak TLS; nothing is compressed.
 */
export class SimHttp implements Http {
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #tcp: Tcp
  readonly #timers: Timers
  readonly #log: Log
  readonly #connections: HttpConnections

  constructor(machine: Machine, boot: Boot, tcp: Tcp, timers: Timers, log: Log) {
    this.#machine = machine
    this.#boot = boot
    this.#tcp = tcp
    this.#timers = timers
    this.#log = log
    this.#connections = new HttpConnections(machine.clock, timers)
  }

  async serve(at: Endpoint, handler: HttpHandler, tls?: TlsOptions): Promise<Result<HttpListener, ListenFailure>> {
    const { onSaid } = this.#machine.kernel
    const serving: HttpServing = {
      said: onSaid && ((target, text, answer) => onSaid(this.#boot.name, target, text, answer)),
      handler,
      log: this.#log,
      soon: (act) => void this.#machine.kernel.after(this.#boot, undefined, 0, 'abort', act),
      after: (delayMs, act) => this.#timers.after(delayMs, act),
      monoMs: () => this.#machine.clock.monoUs() / 1000,
      connections: new Set(),
      requests: this.#boot.requests,
    }
    const accept = (stream: TcpStream): void => {
      this.#boot.ofHttp.add(stream)
      new HttpServerConnection(serving, stream)
    }
    const listener = await this.#tcp.listen(at, accept, tls)
    if (!listener.ok) return listener
    const { local } = listener.value
    const close = (): void => {
      listener.value.close()
      for (const connection of [...serving.connections]) connection.finish()
    }
    return ok({ local, close, renewTls: (next) => listener.value.renewTls(next) })
  }

  request(to: Endpoint, request: HttpClientRequest): Promise<HttpAnswer> {
    const { kernel } = this.#machine
    const { method, target, headers, timeoutMs, tls } = request
    if (!isSendableLine(method) || !isSendableLine(target) || (headers !== undefined && !areSendable(headers))) {
      return kernel.answer(this.#boot, 0, 'http', (): HttpAnswer => {
        return err({ kind: 'io', to, message: 'a header that HTTP cannot carry' })
      })
    }
    const idle = tls === undefined ? this.#connections.take(to) : undefined
    if (idle === undefined) return this.#dialled(to, request)
    return idle.ask(request, timeoutMs, kernel.deferred<HttpAnswer>(this.#boot))
  }

  /** Simulated HTTP sends whole messages: it has no streams, frames or trailers of HTTP/2. */
  requestHttp2(to: Endpoint): Promise<Result<Http2Response, HttpClientFailure>> {
    return this.#machine.kernel.answer(this.#boot, 0, 'http', (): Result<Http2Response, HttpClientFailure> => {
      return err({ kind: 'io', to, message: 'there is no HTTP/2 in the simulator' })
    })
  }

  async #dialled(to: Endpoint, request: HttpClientRequest): Promise<HttpAnswer> {
    const { kernel, clock } = this.#machine
    const startUs = clock.monoUs()
    const { timeoutMs, tls } = request
    const dialled = await this.#tcp.dial(to, tls === undefined ? { timeoutMs } : { timeoutMs, tls })
    if (!dialled.ok) return dialled
    this.#boot.ofHttp.add(dialled.value)
    const leftMs = timeoutMs - (clock.monoUs() - startUs) / 1000
    const connection = this.#connections.made(to, dialled.value, tls === undefined)
    return connection.ask(request, leftMs, kernel.deferred<HttpAnswer>(this.#boot))
  }
}
