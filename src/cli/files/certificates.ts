import { err, ok, type Result } from '../../base/result.ts'
import { ipBytes } from '../../dns-wire/ip-address.ts'
import type { Env } from '../../env/env.ts'
import { readCertificate } from '../../pki/certificate.ts'
import { certificateIn, certificatePem } from '../../pki/pem.ts'
import { type CertificateContent, type Issuer, signCertificate } from '../../pki/tls-certificate.ts'
import type { Pair } from './certificate-files.ts'

const dayMs = 86_400_000
/** Certificates begin earlier by this much, because the clocks of a cluster differ. */
const backdatedMs = 60_000
/** Certificates write years with four digits, and no key should live for more than a century. */
const daysMax = 36_500

/** The holder of a certificate, which determines the permitted uses. */
export type Role = 'server' | 'client' | 'cli'

export interface AuthorityWishes {
  readonly days: number
  readonly domain: string
  /** The product in the name of the authority. */
  readonly title: string
  /** Names outside these domains cannot be signed; undefined: any can. */
  readonly permittedDomains: readonly string[] | undefined
}

export interface LeafWishes {
  readonly role: Role
  readonly days: number
  readonly datacenter: string
  readonly domain: string
  readonly dnsNames: readonly string[]
  readonly addresses: readonly string[]
}

export function makeAuthority(env: Env, wishes: AuthorityWishes): Result<Pair, string> {
  const { days, domain, permittedDomains } = wishes
  const problem = daysProblem(days) ?? [domain, ...(permittedDomains ?? [])].map(nameProblem).find(isText)
  if (problem !== undefined) return err(problem)
  const key = env.crypto.makeSigningKey()
  const [a, b] = env.crypto.randomBytes(2, 'name')
  const commonName = `${wishes.title} Agent CA ${(a ?? 0) * 256 + (b ?? 0)}`
  const content = { commonName, ...validity(env, days), authority: true }
  const permitted = permittedDomains === undefined ? {} : { permittedDomains }
  const signed = signCertificate(env.crypto, { ...content, ...permitted }, key, undefined)
  return ok({ certificate: certificatePem(signed), key: key.privateKeyPem })
}

/** A certificate for a program in this role; its first name contains the role. Reference: configuration.md#fact-84. */
export function makeLeaf(env: Env, wishes: LeafWishes, authority: Pair): Result<Pair, string> {
  const content = leafContent(env, wishes)
  if (!content.ok) return content
  const issuer = issuerOf(env, authority)
  if (!issuer.ok) return issuer
  const key = env.crypto.makeSigningKey()
  const signed = signCertificate(env.crypto, content.value, key, issuer.value)
  return ok({ certificate: certificatePem(signed), key: key.privateKeyPem })
}

function leafContent(env: Env, wishes: LeafWishes): Result<CertificateContent, string> {
  const { role, days, datacenter, domain, dnsNames, addresses } = wishes
  const label = /^[a-z0-9_-]{1,63}$/i.test(datacenter)
    ? undefined
    : `-dc "${datacenter}" is not the name of a datacenter`
  const problem = daysProblem(days) ?? label ?? [domain, ...dnsNames].map(nameProblem).find(isText)
  if (problem !== undefined) return err(problem)
  const bytes: Uint8Array[] = []
  for (const address of ['127.0.0.1', ...addresses]) {
    const read = ipBytes(address)
    if (read === undefined) return err(`-additional-ipaddress "${address}" is not an IP address`)
    bytes.push(read)
  }
  const commonName = `${role}.${datacenter}.${domain}`.toLowerCase()
  return ok({
    commonName,
    ...validity(env, days),
    authority: false,
    dnsNames: [commonName, 'localhost', ...dnsNames],
    addresses: bytes,
    // An agent that is a client also serves HTTPS.
    uses: role === 'cli' ? ['client'] : ['server', 'client'],
  })
}

function issuerOf(env: Env, { certificate, key }: Pair): Result<Issuer, string> {
  const der = certificateIn(certificate)
  if (der === undefined) return err('the CA certificate is not in PEM form')
  const read = readCertificate(der)
  if (!read.ok) return err(`the CA certificate cannot be used: ${read.error}`)
  if (!read.value.authority) return err('the given certificate is not that of a CA: its basicConstraints do not say so')
  const signing = env.crypto.readSigningKey(key)
  if (signing === undefined) return err('the CA key is not an unencrypted ECDSA or RSA private key in PEM form')
  const trusted = { certificateChainPem: certificate, privateKeyPem: key, trustedPems: [] }
  const problem = env.tcp.tlsProblem(trusted)
  return problem === undefined
    ? ok({ key: signing, certificate: read.value })
    : err(`certificate and key of the CA do not belong together: ${problem}`)
}

function validity(env: Env, days: number): Pick<CertificateContent, 'notBeforeMs' | 'notAfterMs'> {
  const nowMs = env.clock.wallMs()
  return { notBeforeMs: nowMs - backdatedMs, notAfterMs: nowMs + days * dayMs }
}

function daysProblem(days: number): string | undefined {
  return Number.isInteger(days) && days >= 1 && days <= daysMax ? undefined : `-days must be from 1 to ${daysMax}`
}

function nameProblem(name: string): string | undefined {
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.')
  const isName = name.length <= 253 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
  return isName ? undefined : `"${name}" is not a DNS name`
}

function isText(value: string | undefined): value is string {
  return value !== undefined
}
