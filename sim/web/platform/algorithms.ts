import { p256, p384, p521 } from '@noble/curves/nist.js'
import type { EcKind, SignatureAlgorithm } from '../../../src/env/crypto.ts'

export type RsaAlgorithm = Extract<SignatureAlgorithm, `rsa-${string}`>
export type EcAlgorithm = Extract<SignatureAlgorithm, `ecdsa-${string}`>

/** The numbers of a private key. RFC 8017, appendix A.1.2. */
export interface RsaNumbers {
  readonly modulus: bigint
  readonly publicExponent: bigint
  readonly prime1: bigint
  readonly prime2: bigint
  readonly exponent1: bigint
  readonly exponent2: bigint
  readonly coefficient: bigint
}

interface Curve {
  /** Its functions hash with SHA-256, SHA-384 and SHA-512, as the algorithm says. */
  readonly ecdsa: typeof p256
  readonly algorithm: EcAlgorithm
  readonly secretBytes: number
}

export const curves: Readonly<Record<EcKind, Curve>> = {
  'ec-256': { ecdsa: p256, algorithm: 'ecdsa-sha256', secretBytes: 32 },
  'ec-384': { ecdsa: p384, algorithm: 'ecdsa-sha384', secretBytes: 48 },
  'ec-521': { ecdsa: p521, algorithm: 'ecdsa-sha512', secretBytes: 66 },
}

export const ecKinds = ['ec-256', 'ec-384', 'ec-521'] as const
