/** A digest of bytes that come piece by piece. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  /** At the end, once. */
  digest(): Uint8Array
}

/** RSA by PKCS #1 v1.5, ECDSA with its two numbers in DER. `ed25519` is what the simulator's agents have for TLS. */
export type SignatureAlgorithm =
  | 'ecdsa-sha256'
  | 'ecdsa-sha384'
  | 'ecdsa-sha512'
  | 'rsa-sha256'
  | 'rsa-sha384'
  | 'rsa-sha512'
  | 'ed25519'

/** Keys that can be asked for: the curves of NIST by their bits, RSA by those of its modulus. */
export type EcKind = 'ec-256' | 'ec-384' | 'ec-521'
export type RsaKind = 'rsa-2048' | 'rsa-4096'
export type KeyKind = EcKind | RsaKind

/** A private key. */
export interface SigningKey {
  /** By the key: SHA-256 on P-256 and with RSA, SHA-384 on P-384, SHA-512 on P-521. */
  readonly algorithm: SignatureAlgorithm
  /** PKCS#8, in PEM. */
  readonly privateKeyPem: string
  /** SubjectPublicKeyInfo, in DER. RFC 5280, section 4.1. */
  readonly publicKey: Uint8Array
  /** Of ECDSA, the two numbers in DER. */
  sign(bytes: Uint8Array): Uint8Array
}

export interface Crypto {
  sha256(bytes: Uint8Array): Uint8Array
  /** For names that others derived by it; no longer secure. */
  sha1(bytes: Uint8Array): Uint8Array
  /** The same of bytes that are not held all at once. */
  runningSha256(): RunningHash
  /** Unguessable bytes; in the simulator those of one decision, as of `Random.draws`. */
  randomBytes(length: number, ...about: readonly (string | number | Uint8Array)[]): Uint8Array
  /**
   * AES in Galois/Counter mode (NIST SP 800-38D): the ciphertext, as long as the text, then a tag of 16 bytes. `key`:
   * 16, 24 or 32 bytes. `nonce`: 12 bytes, never twice with one key. `additional`: authenticated, not encrypted.
   */
  sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array
  /** The text that was sealed so; undefined when it was not sealed with this key, nonce and additional bytes. */
  openAesGcm(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined
  /** A new key: ECDSA on P-256; in the simulator Ed25519, drawn from the seed. */
  makeSigningKey(): SigningKey
  /**
   * A new key of that kind; RSA takes seconds, in which others have their turns. In the simulator drawn from the seed,
   * of RSA from a few that are there, and Ed25519 for every kind in runs with `keys: 'cheap'`.
   */
  generateKey(kind: KeyKind, ...about: readonly (string | number)[]): Promise<SigningKey>
  /**
   * The private key that a PEM text holds, unencrypted: PKCS#8, SEC1 (RFC 5915) or PKCS#1; undefined where it holds
   * none that can be used here: ECDSA on the three curves, RSA from 2048 to 8192 bits, Ed25519.
   */
  readSigningKey(pem: string): SigningKey | undefined
  /** Whether the key (SubjectPublicKeyInfo, DER) made this signature. False for a malformed key or signature. */
  verify(publicKey: Uint8Array, algorithm: SignatureAlgorithm, bytes: Uint8Array, signature: Uint8Array): boolean
}
