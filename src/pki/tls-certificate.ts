import type { Crypto, SigningKey } from '../env/crypto.ts'
import type { Certificate } from './certificate.ts'
import { writeCertificate } from './certificate-writer.ts'
import { parsed } from './der.ts'
import * as extension from './extensions.ts'
import { keyIdOf } from './key-id.ts'
import { nameOf } from './name.ts'

/** The content of a certificate for the agents' own TLS. RFC 5280, section 4. */
export interface CertificateContent {
  readonly commonName: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** An authority: it may sign certificates, but not those of other authorities. */
  readonly authority: boolean
  /** For an authority: the domains in which it may sign names. Absent: all. */
  readonly permittedDomains?: readonly string[]
  readonly dnsNames?: readonly string[]
  /** 4 or 16 bytes each. */
  readonly addresses?: readonly Uint8Array[]
  readonly uses?: readonly ('server' | 'client')[]
}

/** A signing key and its certificate. */
export interface Issuer {
  readonly key: SigningKey
  readonly certificate: Certificate
}

type Hashing = Pick<Crypto, 'sha256' | 'randomBytes'>

/** Signs a certificate for this key, and returns it in DER. `issuer` undefined: the certificate is self-signed. */
export function signCertificate(
  crypto: Hashing,
  content: CertificateContent,
  key: SigningKey,
  issuer: Issuer | undefined,
): Uint8Array {
  const ownKeyId = keyIdOf(crypto, key.publicKey)
  const subject = nameOf(content.commonName)
  const { notBeforeMs, notAfterMs } = content
  const parts = {
    serial: drawnSerial(crypto),
    issuer: issuer === undefined ? subject : parsed(issuer.certificate.subject),
    notBeforeMs,
    notAfterMs,
    subject,
    publicKey: key.publicKey,
    extensions: extensionsOf(content, ownKeyId, issuer === undefined ? ownKeyId : issuer.certificate.subjectKeyId),
  }
  return writeCertificate(parts, issuer?.key ?? key)
}

/** A serial number of 16 bytes, unguessable and positive. */
function drawnSerial(crypto: Hashing): Uint8Array {
  const serial = crypto.randomBytes(16, 'serial')
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  return serial
}

function extensionsOf(content: CertificateContent, ownKeyId: Uint8Array, issuerKeyId: Uint8Array | undefined) {
  const { authority, permittedDomains = [], dnsNames = [], addresses = [], uses = [] } = content
  const extensions = [
    extension.keyUsage(authority ? extension.usesOfAuthority : ['digitalSignature']),
    extension.basicConstraints(authority, authority ? 0 : undefined),
    extension.subjectKeyId(ownKeyId),
  ]
  // An authority made elsewhere may not name its key: verifiers then compare nothing.
  if (issuerKeyId !== undefined) extensions.push(extension.authorityKeyId(issuerKeyId))
  if (uses.length > 0) extensions.push(extension.extendedUses(uses))
  if (dnsNames.length + addresses.length > 0) extensions.push(extension.subjectNames({ dnsNames, addresses }))
  if (permittedDomains.length > 0) extensions.push(extension.permittedNames(permittedDomains))
  return extensions
}
