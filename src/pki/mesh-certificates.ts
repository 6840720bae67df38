import type { Crypto, SigningKey } from '../env/crypto.ts'
import type { Certificate } from './certificate.ts'
import { serialBytes, writeCertificate } from './certificate-writer.ts'
import { type Der, parsed } from './der.ts'
import * as extension from './extensions.ts'
import { keyIdOf } from './key-id.ts'
import { nameOf } from './name.ts'
import type { CertificateRequest } from './request.ts'
import type { Issuer } from './tls-certificate.ts'

/**
 * The certificates of a mesh, in DER. The caller passes times back-dated by the allowed skew, and serial numbers from
 * replicated state: nothing here draws a random number or reads a clock.
 */
interface Term {
  readonly serial: bigint
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

type Hashing = Pick<Crypto, 'sha256'>

export interface RootWishes extends Term {
  /** `Svc CA 7`. */
  readonly commonName: string
  /** The signing ID of the mesh. */
  readonly uri: string
}

export function signRoot(crypto: Hashing, key: SigningKey, wishes: RootWishes): Uint8Array {
  const { commonName, uri, ...term } = wishes
  const [subject, keyId] = [nameOf(commonName), keyIdOf(crypto, key.publicKey)]
  const extensions = [
    extension.keyUsage(extension.usesOfAuthority),
    extension.basicConstraints(true),
    extension.subjectKeyId(keyId),
    extension.authorityKeyId(keyId),
    extension.subjectNames({ uris: [uri] }),
  ]
  return certificate(term, { issuer: subject, subject, publicKey: key.publicKey, extensions }, key)
}

export interface LeafWishes extends Term {
  readonly publicKey: Uint8Array
  /** RSA keys may also encipher data, others may not. */
  readonly keyKind: CertificateRequest['keyKind']
  readonly commonName: string
  /** The ID of the service. */
  readonly uri: string
}

export function signLeaf(crypto: Hashing, issuer: Issuer, wishes: LeafWishes): Uint8Array {
  const { publicKey, keyKind, commonName, uri, ...term } = wishes
  const extensions = [
    extension.keyUsage(keyKind === 'rsa' ? ['digitalSignature', 'keyEncipherment', 'keyAgreement'] : ecUsages),
    extension.extendedUses(['client', 'server']),
    extension.basicConstraints(false),
    extension.subjectKeyId(keyIdOf(crypto, publicKey)),
    extension.authorityKeyId(keyIdOfIssuer(crypto, issuer.certificate)),
    extension.subjectNames({ uris: [uri] }),
  ]
  return below(issuer, term, { subject: nameOf(commonName), publicKey, extensions })
}

const ecUsages = ['digitalSignature', 'keyAgreement'] as const

/**
 * Certifies the next root by the one before it: a verifier that trusts only the older root then trusts what the new one
 * signs.
 */
export function signCrossing(crypto: Hashing, issuer: Issuer, root: Certificate, term: Term): Uint8Array {
  const extensions = [
    extension.keyUsage(root.keyUsages ?? extension.usesOfAuthority),
    extension.basicConstraints(true, root.pathLength),
    extension.subjectKeyId(keyIdOfIssuer(crypto, root)),
    extension.authorityKeyId(keyIdOfIssuer(crypto, issuer.certificate)),
  ]
  if (root.uris.length > 0) extensions.push(extension.subjectNames({ uris: root.uris }))
  return below(issuer, term, { subject: parsed(root.subject), publicKey: root.publicKey, extensions })
}

/** An intermediate authority, which signs the leaves of another datacenter. No authority may stand below it. */
export function signIntermediate(
  crypto: Hashing,
  issuer: Issuer,
  request: Pick<CertificateRequest, 'publicKey' | 'subject'>,
  wishes: Term & { readonly uri: string },
): Uint8Array {
  const { uri, ...term } = wishes
  const extensions = [
    extension.keyUsage(extension.usesOfAuthority),
    extension.basicConstraints(true, 0),
    extension.subjectKeyId(keyIdOf(crypto, request.publicKey)),
    extension.authorityKeyId(keyIdOfIssuer(crypto, issuer.certificate)),
    extension.subjectNames({ uris: [uri] }),
  ]
  return below(issuer, term, { subject: parsed(request.subject), publicKey: request.publicKey, extensions })
}

/**
 * The key identifier of the issuer as its certificate names it; if the certificate names none, the one that we would
 * give it, because the crossing will do the same.
 */
function keyIdOfIssuer(crypto: Hashing, { subjectKeyId, publicKey }: Certificate): Uint8Array {
  return subjectKeyId ?? keyIdOf(crypto, publicKey)
}

interface Bearer {
  readonly subject: Der
  readonly publicKey: Uint8Array
  readonly extensions: readonly Der[]
}

function below(issuer: Issuer, term: Term, bearer: Bearer): Uint8Array {
  return certificate(term, { ...bearer, issuer: parsed(issuer.certificate.subject) }, issuer.key)
}

/** 9999-12-31T23:59:59Z: years have four digits. */
const lastMs = 253_402_300_799_000

function certificate(term: Term, bearer: Bearer & { readonly issuer: Der }, signer: SigningKey): Uint8Array {
  const { serial, notBeforeMs, notAfterMs } = term
  const times = { notBeforeMs: Math.max(0, notBeforeMs), notAfterMs: Math.min(lastMs, notAfterMs) }
  return writeCertificate({ ...bearer, ...times, serial: serialBytes(serial) }, signer)
}
