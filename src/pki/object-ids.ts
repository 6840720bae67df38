import type { EcKind, SignatureAlgorithm } from '../env/crypto.ts'

/**
 * Object identifiers: RFC 5280 (extensions, uses), RFC 5480 and 5758 (curves), RFC 8017 (RSA), RFC 8410 (Ed25519), RFC
 * 2986.
 */
export const ids = {
  commonName: '2.5.4.3',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extendedUses: '2.5.29.37',
  serverUse: '1.3.6.1.5.5.7.3.1',
  clientUse: '1.3.6.1.5.5.7.3.2',
  anyUse: '2.5.29.37.0',
  extensionRequest: '1.2.840.113549.1.9.14',
  ecPublicKey: '1.2.840.10045.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ed25519: '1.3.101.112',
} as const

export const curveIds: Readonly<Record<EcKind, string>> = {
  'ec-256': '1.2.840.10045.3.1.7',
  'ec-384': '1.3.132.0.34',
  'ec-521': '1.3.132.0.35',
}

export const signatureIds: Readonly<Record<SignatureAlgorithm, string>> = {
  'ecdsa-sha256': '1.2.840.10045.4.3.2',
  'ecdsa-sha384': '1.2.840.10045.4.3.3',
  'ecdsa-sha512': '1.2.840.10045.4.3.4',
  'rsa-sha256': '1.2.840.113549.1.1.11',
  'rsa-sha384': '1.2.840.113549.1.1.12',
  'rsa-sha512': '1.2.840.113549.1.1.13',
  ed25519: ids.ed25519,
}

/**
 * Whether the algorithm has NULL parameters: RSA must have them, the others must not. RFC 4055, section 2.1; RFC 5758,
 * 3.2.
 */
export function hasNullParameters(algorithm: SignatureAlgorithm): boolean {
  return algorithm === 'rsa-sha256' || algorithm === 'rsa-sha384' || algorithm === 'rsa-sha512'
}
