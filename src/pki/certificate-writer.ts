import { utcText } from '../base/utc-text.ts'
import type { SignatureAlgorithm, SigningKey } from '../env/crypto.ts'
import { around, asn1Null, bits, type Der, encoded, integer, objectId, parsed, sequence, time } from './der.ts'
import { hasNullParameters, signatureIds } from './object-ids.ts'

/** The encoded parts of a certificate. RFC 5280, section 4.1. */
export interface CertificateParts {
  /** The highest byte first. */
  readonly serial: Uint8Array
  readonly issuer: Der
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly subject: Der
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  readonly extensions: readonly Der[]
}

/** The certificate in DER, signed by the key. */
export function writeCertificate(parts: CertificateParts, signer: SigningKey): Uint8Array {
  const { serial, issuer, notBeforeMs, notAfterMs, subject, publicKey, extensions } = parts
  const algorithm = algorithmOf(signer.algorithm)
  return signed(
    sequence(
      around(0, integer(Uint8Array.of(2))),
      integer(serial),
      algorithm,
      issuer,
      sequence(time(utcText(notBeforeMs)), time(utcText(notAfterMs))),
      subject,
      parsed(publicKey),
      around(3, sequence(...extensions)),
    ),
    signer,
  )
}

/**
 * A signed value: the content, the signature algorithm and the signature, as certificates and certificate requests have
 * them.
 */
export function signed(content: Der, signer: SigningKey): Uint8Array {
  const signature = signer.sign(encoded(content))
  return encoded(sequence(content, algorithmOf(signer.algorithm), bits(signature)))
}

function algorithmOf(algorithm: SignatureAlgorithm): Der {
  return sequence(objectId(signatureIds[algorithm]), ...(hasNullParameters(algorithm) ? [asn1Null] : []))
}

/** The bytes of a positive number, the highest first. */
export function serialBytes(serial: bigint): Uint8Array {
  const digits = serial.toString(16)
  const pairs = digits.padStart(digits.length + (digits.length % 2), '0').match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}
