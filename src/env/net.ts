import type { Result } from '../base/result.ts'
import type { Closable } from './async.ts'

/** An IP address (never a name) and a port. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

export type ListenFailure =
  | { readonly kind: 'address-in-use'; readonly at: Endpoint }
  | { readonly kind: 'address-not-available'; readonly at: Endpoint }
  | { readonly kind: 'permission'; readonly at: Endpoint }
  | { readonly kind: 'io'; readonly at: Endpoint; readonly message: string }

/**
 * Why there is no TLS connection. An alert (RFC 8446, section 6.2) is the other end's judgement of our certificate, or
 * of our offer; the others are judgements of this end.
 */
export type TlsFault =
  /** The other end does not speak TLS. */
  | 'plain'
  /** Its bytes begin like TLS, and are not. */
  | 'garbled'
  /** Its certificate has expired, or is not yet valid. */
  | 'expired'
  /** Its certificate leads to no authority that is trusted here. */
  | 'unknown-authority'
  | 'wrong-name'
  /** There is no certificate, or something else about one, or about its key, cannot be accepted. */
  | 'certificate'
  | 'alert-certificate-required'
  | 'alert-certificate-refused'
  | 'alert-certificate-expired'
  | 'alert-unknown-authority'
  /** The two ends share no version or suite. */
  | 'nothing-in-common'
  | 'other'

export type DialFailure =
  | { readonly kind: 'refused'; readonly to: Endpoint }
  | { readonly kind: 'timeout'; readonly to: Endpoint }
  | { readonly kind: 'unreachable'; readonly to: Endpoint }
  | { readonly kind: 'tls'; readonly to: Endpoint; readonly fault: TlsFault; readonly message: string }
  | { readonly kind: 'io'; readonly to: Endpoint; readonly message: string }

/**
 * Why a stream is over: the peer closed it in order, the connection broke, nothing arrived in time for too long, or we
 * closed it.
 */
export type StreamEnd = 'ended' | 'reset' | 'timeout' | 'closed'

export type TlsVersion = 'tls10' | 'tls11' | 'tls12'

/** Certificate, trusted authorities and versions of one end of a TLS connection. Certificates and keys are PEM. */
export interface TlsOptions {
  readonly certificateChainPem?: string
  readonly privateKeyPem?: string
  /** Trusted roots. A dialler verifies the listener against them, unless it trusts `anyone`. */
  readonly trustedPems: readonly string[]
  /**
   * For a dialler: further trust. `system`: the authorities that the machine trusts, of which the simulator has none.
   * `anyone`: the certificate is not verified. For servers outside the cluster, such as web servers that a health check
   * requests from.
   */
  readonly trust?: 'system' | 'anyone'
  /** For a dialler: the name that the certificate must contain; if absent, it must contain the dialled address. */
  readonly serverName?: string
  /**
   * For a dialler: the certificate may contain any name; the dialler checks `TcpStream.peer`. `serverName` is then only
   * sent.
   */
  readonly anyName?: boolean
  /** The lowest version that this end accepts; 1.2 by default. The simulator has one version. */
  readonly minVersion?: TlsVersion
  /** Suites that this end accepts, of TLS up to 1.2, by OpenSSL's names; those of 1.3 are always accepted. */
  readonly cipherSuites?: readonly string[]
  /** For a listener: the order of suites is its own, not the dialler's. */
  readonly preferOwnOrder?: boolean
  /**
   * For a listener: refuse a dialler without a certificate from a trusted root, at each new connection: sessions are
   * not resumed.
   */
  readonly requirePeerCertificate?: boolean
}

/** Why a listener refused a dialler. */
export type TlsRefusal =
  | { readonly kind: 'plain' }
  | { readonly kind: 'no-certificate' }
  | { readonly kind: 'untrusted'; readonly message: string }
  | { readonly kind: 'handshake'; readonly message: string }

export interface ListenerTls extends TlsOptions {
  /**
   * A dialler whose first byte does not begin a TLS handshake (0x16) is accepted without TLS, while a cluster is being
   * moved to TLS. It is accepted only once that byte has arrived.
   */
  readonly plainToo?: boolean
  readonly onRefused?: (from: Endpoint, why: TlsRefusal) => void
}

/** What the other end of a TLS connection has proved: its certificate leads to a root that is trusted here. */
export interface PeerCertificate {
  /** The DNS names in the certificate, in lower case. */
  readonly names: readonly string[]
  /** The URIs in the certificate. */
  readonly uris: readonly string[]
}

export interface UdpSocket extends Closable {
  readonly local: Endpoint
  /** May be lost, repeated, late or out of order; a datagram beyond 65,507 bytes is dropped. */
  send(to: Endpoint, bytes: Uint8Array): void
}

export interface Udp {
  /** Port 0 takes a free one. */
  bind(at: Endpoint, onDatagram: (from: Endpoint, bytes: Uint8Array) => void): Promise<Result<UdpSocket, ListenFailure>>
}

/** `now` is usual. `soon`: within some milliseconds, because nothing waits for it. */
export type SendingTime = 'now' | 'soon'

/**
 * A connected byte stream. Bytes arrive in order, once, in pieces of any size. The handlers are set in the turn in
 * which the stream is passed on; bytes that arrive before are kept. After `onClose` no handler is called any more.
 */
export interface TcpStream extends Closable {
  readonly local: Endpoint
  readonly remote: Endpoint
  /** Undefined without TLS, and if the peer's certificate was not requested or not verified. */
  readonly peer: PeerCertificate | undefined
  onData(use: (bytes: Uint8Array) => void): void
  /** The peer has finished writing (half-close); writing to it is still possible. */
  onEnd(use: () => void): void
  /** The stream has ended in both directions. Called once, never from within a call of the owner. */
  onClose(use: (why: StreamEnd) => void): void
  /**
   * Queues bytes (which must not change afterwards). Returns false if more than `highWaterBytes` are queued: write no
   * more until `onDrain`. Writing after `end`, or to a stream that has ended, does nothing and returns false. What is sent
   * `soon` may wait a moment for later bytes, to be sent together with them; the order stays.
   */
  write(bytes: Uint8Array, when?: SendingTime): boolean
  /** The queue has become empty after a `write` returned false. */
  onDrain(use: () => void): void
  /** Bytes queued and not yet taken by the network. */
  queuedBytes(): number
  /** Back-pressure for reading: nothing more is delivered until `resume`, and in time the peer's writes stall. */
  pause(): void
  resume(): void
  /** Half-close: queued bytes are still sent, then the peer sees the end. */
  end(): void
  /**
   * Drops queued bytes and breaks the connection; `onClose('closed')` follows here, 'reset' at the peer. After `end` the
   * peer gets only the end, and learns that nothing is read any more when it sends something.
   */
  close(): void
}

/** A stream's `write` returns false if more bytes than this are queued. */
export const highWaterBytes = 1 << 20

export interface TcpListener extends Closable {
  readonly local: Endpoint
  /**
   * Sets the certificate that the listener shows and the peers that it accepts from now on; open streams stay. For
   * options without a `tlsProblem`.
   */
  renewTls(tls: ListenerTls | undefined): void
}

export interface DialOptions {
  readonly timeoutMs: number
  readonly tls?: TlsOptions
}

export interface Tcp {
  dial(to: Endpoint, options: DialOptions): Promise<Result<TcpStream, DialFailure>>
  /** Port 0 takes a free one. Closing the listener leaves accepted streams alone. */
  listen(
    at: Endpoint,
    onStream: (stream: TcpStream) => void,
    tls?: ListenerTls,
  ): Promise<Result<TcpListener, ListenFailure>>
  /**
   * Why these options cannot be used: a certificate (also a trusted one) or key that cannot be read, a certificate and
   * key that do not belong together, or unknown suites, which the simulator does not check.
   */
  tlsProblem(tls: TlsOptions): string | undefined
}

/** `10.0.0.1:8300`, `[::1]:8300`. */
export function endpointText(endpoint: Endpoint): string {
  return endpoint.host.includes(':') ? `[${endpoint.host}]:${endpoint.port}` : `${endpoint.host}:${endpoint.port}`
}
