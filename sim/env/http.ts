import { err, ok, type Result } from '../../src/base/result.ts'
import type { Timers } from '../../src/env/clock.ts'
import type { Http, HttpClientRequest, HttpHandler, HttpListener } from '../../src/env/http.ts'
import type { Endpoint, ListenFailure, Tcp, TlsOptions } from '../../src/env/net.ts'
import type { Log } from '../../src/env/observe.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from '../world/machine.ts'
import { exchange, type HttpAnswer } from './http-client.ts'
import { areSendable } from './http-frame.ts'
import { HttpExchange, type HttpServing } from './http-server.ts'

/**
 * HTTP over simulated streams. Requests and responses travel whole and undecoded, in frames: what a parser of HTTP/1.1
 * does to them is `src/host`'s affair. One connection for each request; nothing is compressed.
 */
export class SimHttp implements Http {
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #tcp: Tcp
  readonly #timers: Timers
  readonly #log: Log

  constructor(machine: Machine, boot: Boot, tcp: Tcp, timers: Timers, log: Log) {
    this.#machine = machine
    this.#boot = boot
    this.#tcp = tcp
    this.#timers = timers
    this.#log = log
  }

  async serve(at: Endpoint, handler: HttpHandler, tls?: TlsOptions): Promise<Result<HttpListener, ListenFailure>> {
    const serving: HttpServing = {
      handler,
      log: this.#log,
      soon: (act) => void this.#machine.kernel.after(this.#boot, undefined, 0, 'abort', act),
      after: (delayMs, act) => this.#timers.after(delayMs, act),
    }
    const listener = await this.#tcp.listen(at, (stream) => void new HttpExchange(serving, stream), tls)
    return listener.ok ? ok(listener.value) : listener
  }

  async request(to: Endpoint, request: HttpClientRequest): Promise<HttpAnswer> {
    const { kernel, clock } = this.#machine
    if (!areSendable(request.headers ?? [])) {
      return kernel.answer(this.#boot, 0, 'http', (): HttpAnswer => {
        return err({ kind: 'io', to, message: 'a header that HTTP cannot carry' })
      })
    }
    const startUs = clock.monoUs()
    const { timeoutMs, tls } = request
    const dialled = await this.#tcp.dial(to, tls === undefined ? { timeoutMs } : { timeoutMs, tls })
    if (!dialled.ok) return dialled
    const leftMs = timeoutMs - (clock.monoUs() - startUs) / 1000
    return exchange(dialled.value, to, request, leftMs, this.#timers, kernel.deferred<HttpAnswer>(this.#boot))
  }
}
