import type { Deferred } from '../../src/env/async.ts'
import type { EcKind, RsaKind, RunningHash, SignatureAlgorithm, SigningKey } from '../../src/env/crypto.ts'
import type { PeerCertificate, TlsFault, TlsOptions } from '../../src/env/net.ts'

/**
 * Whose turn it is and what happened in it. One object for a run; the tripwire and the promise hook write and read it
 * too.
 */
export interface TurnState {
  /** The node (or `driver`, or `world`) whose turn it is; undefined between turns, when Node may be used freely. */
  holder: string | undefined
  /** A promise was made or settled since the turn began: its continuations must run before the next event. */
  touched: boolean
}

/** Which end of a TLS connection looks at the certificates of the other. */
export interface TlsCheck {
  readonly verifier: TlsOptions
  readonly presented: TlsOptions | undefined
  /** What a dialler expects the certificate to be for: a name, or the address dialled. Undefined: any. */
  readonly expectedName: string | undefined
  readonly wallMs: number
}

/** Why a certificate is not to be trusted, in kind and in words. */
export interface TlsProblem {
  readonly fault: TlsFault
  readonly message: string
}

/** What a simulated world needs from the real machine. `sim/platform` implements it on Node. */
export interface Platform {
  readonly turn: TurnState
  /**
   * Calls `step` again and again, each time with all promise jobs of the time before done, until it returns false.
   * `last`: other work of the process may run before the next call, so no turn may be left open. Then `pause` is asked
   * whether to wait for something first.
   */
  pump(step: (last: boolean) => boolean, pause?: () => Promise<void> | undefined): Promise<void>
  deferred<T>(): Deferred<T>
  sha256(bytes: Uint8Array): Uint8Array
  sha1(bytes: Uint8Array): Uint8Array
  runningSha256(): RunningHash
  /** As in `env/crypto`. */
  sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array
  openAesGcm(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined
  /** The Ed25519 key of 32 bytes. RFC 8032. */
  signingKey(seed: Uint8Array): SigningKey
  /** The key of a curve of NIST that these bytes lead to; it signs the same each time. RFC 6979. */
  ecKey(kind: EcKind, seed: Uint8Array): SigningKey
  /** One of a few that are there, by a number that may be any. */
  rsaKey(kind: RsaKind, nth: number): SigningKey
  verify(publicKey: Uint8Array, algorithm: SignatureAlgorithm, bytes: Uint8Array, signature: Uint8Array): boolean
  readSigningKey(pem: string): SigningKey | undefined
  /** Why the certificate is not to be trusted; undefined if it is. */
  certificateProblem(check: TlsCheck): TlsProblem | undefined
  /** Why an end cannot use the certificate and key that it is given itself; undefined if it can, or has none. */
  identityProblem(tls: TlsOptions): string | undefined
  /** The identity that a trusted end has proved. */
  peerOf(presented: TlsOptions | undefined): PeerCertificate | undefined
  /**
   * Follows what waits for a promise in a turn, until `close`: `begin` is asked when it begins to wait, and `continues`
   * is called with what it said when the continuation runs, and with undefined after it.
   */
  followWaits<Wait>(begin: () => Wait, continues: (wait: Wait | undefined) => void): void
  /** A rejection that nobody handled, since the last call. */
  takeUnhandled(): { readonly reason: unknown } | undefined
  /** Restores everything that was replaced for the run. */
  close(): void
}
