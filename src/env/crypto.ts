/** A digest of bytes that come piece by piece. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  /** At the end, once. */
  digest(): Uint8Array
}

/** How a key signs. `ed25519` is the simulator's: its signatures are the same each time. */
export type SignatureAlgorithm = 'ecdsa-sha256' | 'ecdsa-sha384' | 'ecdsa-sha512' | 'rsa-sha256' | 'ed25519'

/** A private key. */
export interface SigningKey {
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
  /** The same of bytes that are not held all at once. */
  runningSha256(): RunningHash
  /** Unguessable bytes; in the simulator drawn from the seed. */
  randomBytes(length: number): Uint8Array
  /**
   * AES in Galois/Counter mode (NIST SP 800-38D): the ciphertext, as long as the text, then a tag of 16 bytes. `key`: 16, 24
   * or 32 bytes. `nonce`: 12 bytes, never twice with one key. `additional`: authenticated, not encrypted.
   */
  sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array
  /** The text that was sealed so; undefined when it was not sealed with this key, nonce and additional bytes. */
  openAesGcm(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined
  /** A new key: ECDSA on P-256; in the simulator Ed25519, drawn from the seed. */
  makeSigningKey(): SigningKey
  /** The private key that a PEM text holds, unencrypted; undefined where it holds none that can be used here. */
  readSigningKey(pem: string): SigningKey | undefined
}
