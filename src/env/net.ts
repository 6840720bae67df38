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
   * Dialler: further trust. `system`: the authorities that the machine knows, none in the simulator. `anyone`: the
   * certificate is not verified. For servers outside the cluster, such as web servers that a health check looks at.
   */
  readonly trust?: 'system' | 'anyone'
  /** Dialler: the name that the certificate must carry; without one it must carry the address that is dialled. */
  readonly serverName?: string
  /**
   * Dialler: the certificate may carry any name; the dialler checks `TcpStream.peer`. `serverName` is then only sent.
   */
  readonly anyName?: boolean
  /** The least version that this end speaks; 1.2 where nothing is said. The simulator knows one version. */
  readonly minVersion?: TlsVersion
  /** Suites that this end speaks, of TLS up to 1.2 by OpenSSL's names; those of 1.3 are always there. */
  readonly cipherSuites?: readonly string[]
  /** Listener: the order of the suites is its own, not the dialler's. */
  readonly preferOwnOrder?: boolean
  /**
   * Listener: refuse a dialler without a certificate from a trusted root, at each connection anew: sessions are not
   * taken up again.
   */
  readonly requirePeerCertificate?: boolean
}

/** Why a listener did not take a dialler. */
export type TlsRefusal =
  | { readonly kind: 'plain' }
  | { readonly kind: 'no-certificate' }
  | { readonly kind: 'untrusted'; readonly message: string }
  | { readonly kind: 'handshake'; readonly message: string }

export interface ListenerTls extends TlsOptions {
  /**
   * A dialler whose first byte does not begin a TLS handshake (0x16) is taken without TLS: for as long as a cluster is
   * being moved to it. It is not taken before it has said that byte.
   */
  readonly plainToo?: boolean
  readonly onRefused?: (from: Endpoint, why: TlsRefusal) => void
}

/** What the other end of a TLS connection has proved: its certificate leads to a root that is trusted here. */
export interface PeerCertificate {
  /** The DNS names that it is for, in lower case. */
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

/**
 * A connected byte stream. Bytes arrive in order, once, in pieces of any size. The handlers are set in the same turn in
 * which the stream is handed over; what arrives before is kept. After `onClose` nothing is called any more.
 */
export interface TcpStream extends Closable {
  readonly local: Endpoint
  readonly remote: Endpoint
  /** Undefined without TLS, and where the peer's certificate was not asked for or not verified. */
  readonly peer: PeerCertificate | undefined
  onData(use: (bytes: Uint8Array) => void): void
  /** The peer has finished writing (half-close); writing to it is still possible. */
  onEnd(use: () => void): void
  /** The stream is over in both directions. Called once, never from within a call of ours. */
  onClose(use: (why: StreamEnd) => void): void
  /**
   * Queues bytes (which must not change afterwards). False when more than `highWaterBytes` wait to leave: write no more
   * until `onDrain`. Writing after `end`, or to a stream that is over, does nothing and returns false.
   */
  write(bytes: Uint8Array): boolean
  /** The queue has fallen to nothing after a `write` returned false. */
  onDrain(use: () => void): void
  /** Bytes queued and not yet taken by the network. */
  queuedBytes(): number
  /** Reading back-pressure: nothing more is delivered until `resume`, and in time the peer's writes stall. */
  pause(): void
  resume(): void
  /** Half-close: what is queued still leaves, then the peer sees the end. */
  end(): void
  /** Drops what is queued and breaks the connection; `onClose('closed')` follows here, 'reset' at the peer. */
  close(): void
}

/** Beyond this a stream's `write` returns false. */
export const highWaterBytes = 1 << 20

export interface TcpListener extends Closable {
  readonly local: Endpoint
  /**
   * The peers that it accepts from now on, and the certificate it shows; open streams stay. For options without a
   * `tlsProblem`.
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
   * Why these cannot be used: a certificate (a trusted one, too) or key that cannot be read, certificate and key that
   * do not belong together, or suites that are unknown, which the simulator does not look at.
   */
  tlsProblem(tls: TlsOptions): string | undefined
}

/** `10.0.0.1:8300`, `[::1]:8300`. */
export function endpointText(endpoint: Endpoint): string {
  return endpoint.host.includes(':') ? `[${endpoint.host}]:${endpoint.port}` : `${endpoint.host}:${endpoint.port}`
}
