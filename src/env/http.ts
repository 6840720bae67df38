import type { Result } from '../base/result.ts'
import type { Closable } from './async.ts'
import type { DialFailure, Endpoint, ListenFailure, TlsFault, TlsOptions } from './net.ts'

/** Header names are lower case. A header sent several times is joined with `, `. */
export type HttpHeaders = ReadonlyMap<string, string>

export interface HttpRequest {
  readonly method: string
  /** Path and query exactly as sent, undecoded: `/v1/kv/a%2Fb?raw`. */
  readonly target: string
  readonly headers: HttpHeaders
  /** The whole body, or `too-large` if it exceeds `bodyBytesMax`; then none of it is kept. */
  readonly body: Uint8Array | 'too-large'
  readonly remote: Endpoint
  /** Calls `use` when the client has gone away before the answer; at once if it already has. */
  onAbort(use: () => void): void
}

export interface HttpResponse {
  readonly status: number
  /** In the order and spelling in which they are to be sent. `Content-Length` and `Date` are the server's business. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | string | HttpStream
  /**
   * The same bytes are also sent with other answers, so what is derived from them (a compressed form) is worth keeping
   * for as long as they live.
   */
  readonly shared?: true
}

/** A body that goes on until its reader leaves or the listener closes. It is not compressed. */
export interface HttpStream {
  /** Begins the stream. The returned object is closed when the reader has gone. */
  open(out: HttpStreamOut): Closable
}

export interface HttpStreamOut {
  /** Returns false, and drops the text, if the reader is too slow for what is already queued. */
  write(text: string): boolean
}

/** Never rejects: what fails becomes a response. */
export interface HttpHandler {
  (request: HttpRequest): Promise<HttpResponse>
  /** The largest body of such a request; `bodyBytesMax` where there is no such member. */
  readonly bodyBytesMaxOf?: (method: string, target: string) => number
}

/**
 * Unless the handler says otherwise, a larger request body is not read: its handler sees `too-large`. Twice the limit
 * of a key's value, and room for a transaction around it.
 */
export const bodyBytesMax = 1 << 20

/** Owner and permissions of a socket in the file system; an absent member leaves the system's default. */
export interface SocketAccess {
  /** A name or a number. */
  readonly user?: string
  readonly group?: number
  /** Bits as `chmod` takes them. */
  readonly mode?: number
}

export interface HttpListener extends Closable {
  readonly local: Endpoint
  /**
   * For a TLS listener: the certificate and trusted authorities for new connections. For options without a
   * `tlsProblem`.
   */
  renewTls(tls: TlsOptions): void
}

export interface HttpClientRequest {
  readonly method: string
  readonly target: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: Uint8Array
  readonly timeoutMs: number
  readonly tls?: TlsOptions
  /** Keeps only this many bytes from the end of the answer's body, however long it is; absent: all of it. */
  readonly tailBytes?: number
  /**
   * An answer that has begun counts as far as it came when its connection breaks or the time is over. In the simulator
   * answers come whole.
   */
  readonly takesPart?: true
  /**
   * Receives the body of an answer with status 200 piece by piece, without keeping it; after the headers there is then
   * no limit of time or size. In the simulator it comes whole, at the end.
   */
  readonly onBody?: (piece: Uint8Array) => void
  /**
   * Receives how many bytes of the answer's body have come, each time that more have come: commands show it as progress.
   * The simulator does not call it.
   */
  readonly onReceived?: (bytes: number) => void
}

export interface HttpClientResponse {
  readonly status: number
  readonly headers: HttpHeaders
  readonly body: Uint8Array
}

export type HttpClientFailure =
  | DialFailure
  /** `fault`: where TLS ended the connection. */
  | { readonly kind: 'broken'; readonly to: Endpoint; readonly message: string; readonly fault?: TlsFault }

export interface Http2Request {
  /** Host and port as the asked one is to see them. */
  readonly authority: string
  readonly method: string
  readonly target: string
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  readonly timeoutMs: number
  readonly tls?: TlsOptions
  /** A longer answer is broken off. */
  readonly bodyBytesMax: number
}

export interface Http2Response extends HttpClientResponse {
  readonly trailers: HttpHeaders
}

/**
 * HTTP/1.1. The server compresses an answer when the client accepts that, leaves `HEAD` to the handler, and passes all
 * of a request on to the handler.
 */
export interface Http {
  /** `at.host` may also be `unix://` and the path of a socket; its port means nothing. The simulator has none. */
  serve(
    at: Endpoint,
    handler: HttpHandler,
    tls?: TlsOptions,
    access?: SocketAccess,
  ): Promise<Result<HttpListener, ListenFailure>>
  /** `to.host` likewise. */
  request(to: Endpoint, request: HttpClientRequest): Promise<Result<HttpClientResponse, HttpClientFailure>>
  /**
   * One exchange by HTTP/2 (RFC 9113) over a connection of its own, without any upgrade. The simulator says that it has
   * none.
   */
  requestHttp2(to: Endpoint, request: Http2Request): Promise<Result<Http2Response, HttpClientFailure>>
}
