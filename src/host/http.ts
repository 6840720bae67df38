import { err, type Result } from '../base/result.ts'
import type {
  Http,
  Http2Request,
  Http2Response,
  HttpClientFailure,
  HttpClientRequest,
  HttpClientResponse,
  HttpHandler,
  HttpListener,
  SocketAccess,
} from '../env/http.ts'
import type { Endpoint, ListenFailure, TlsOptions } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { HttpClient } from './http-client.ts'
import { serveHttp } from './http-server.ts'
import type { OpenThings } from './open-things.ts'

export class HostHttp implements Http {
  readonly #open: OpenThings
  readonly #log: Log
  readonly #client: HttpClient

  constructor(open: OpenThings, log: Log) {
    this.#open = open
    this.#log = log
    this.#client = new HttpClient()
    open.add(this.#client)
  }

  serve(
    at: Endpoint,
    handler: HttpHandler,
    tls?: TlsOptions,
    access?: SocketAccess,
  ): Promise<Result<HttpListener, ListenFailure>> {
    return serveHttp(at, handler, { tls, access }, this.#open, this.#log)
  }

  request(to: Endpoint, request: HttpClientRequest): Promise<Result<HttpClientResponse, HttpClientFailure>> {
    return this.#client.request(to, request)
  }

  async requestHttp2(to: Endpoint, request: Http2Request): Promise<Result<Http2Response, HttpClientFailure>> {
    let isClosed = false
    const loading = {
      close: () => {
        isClosed = true
      },
    }
    this.#open.add(loading)
    // Only checks over gRPC need Node's HTTP/2, which takes a megabyte.
    const { requestHttp2 } = await import('./http2-client.ts')
    this.#open.delete(loading)
    return isClosed ? err({ kind: 'io', to, message: 'shutting down' }) : requestHttp2(to, request, this.#open)
  }
}
