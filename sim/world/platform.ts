import type { Deferred } from '../../src/env/async.ts'
import type { EcKind, RsaKind, RunningHash, SignatureAlgorithm, SigningKey } from '../../src/env/crypto.ts'
import type { PeerCertificate, TlsFault, TlsOptions } from '../../src/env/net.ts'
import type { Shipped } from '../../src/env/shipped.ts'

/**
 * Whose turn it is, and what happened in it. There is one object for a run, which the tripwire and the promise hook
 * read and write, too.
 */
export interface TurnState {
  /** The node (or `driver`, or `world`) whose turn it is; undefined between turns, when Node may be used freely. */
  holder: string | undefined
  /** A promise was made or settled since the turn began: its continuations must run before the next event. */
  touched: boolean
}

/** Which end of a TLS connection checks the certificates of the other. */
export interface TlsCheck {
  readonly verifier: TlsOptions
  readonly presented: TlsOptions | undefined
  /** The name or dialled address for which the dialler expects the certificate to be. Undefined: any. */
  readonly expectedName: string | undefined
  readonly wallMs: number
}

/** Why a certificate is not trusted, as a kind and as a text. */
export interface TlsProblem {
  readonly fault: TlsFault
  readonly message: string
}

/** What a simulated world needs from the real machine. `sim/platform` implements it on Node. */
export interface Platform {
  readonly turn: TurnState
  /** Readable within a turn: no file is opened then. */
  readonly shipped: Shipped
  /**
   * Calls `step` repeatedly, each time with all earlier promise jobs done, until it returns false. `last`: other work
   * of the process may run before the next call, so no turn may be left open. Then `pause` returns a promise to wait
   * for, if any.
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
  /** The key of a NIST curve derived from these bytes; its signatures are deterministic. RFC 6979. */
  ecKey(kind: EcKind, seed: Uint8Array): SigningKey
  /** One of a small set of keys, by any number. */
  rsaKey(kind: RsaKind, nth: number): SigningKey
  verify(publicKey: Uint8Array, algorithm: SignatureAlgorithm, bytes: Uint8Array, signature: Uint8Array): boolean
  readSigningKey(pem: string): SigningKey | undefined
  /** Why the certificate is not trusted; undefined if it is. */
  certificateProblem(check: TlsCheck): TlsProblem | undefined
  /** Why an end cannot use its own certificate and key; undefined if it can, or has none. */
  identityProblem(tls: TlsOptions): string | undefined
  /** The identity that a trusted end has proved. */
  peerOf(presented: TlsOptions | undefined): PeerCertificate | undefined
  /**
   * Follows the waits for promises in a turn, until `close`: `begin` is called when a wait begins, and `continues` with
   * its result when the continuation runs, and with undefined after it.
   */
  followWaits<Wait>(begin: () => Wait, continues: (wait: Wait | undefined) => void): void
  /** A rejection that no code handled, since the last call. */
  takeUnhandled(): { readonly reason: unknown } | undefined
  /** Restores everything that was replaced for the run. */
  close(): void
}
