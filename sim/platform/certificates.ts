import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { altNamesIn } from '../../src/base/alt-names.ts'
import type { PeerCertificate } from '../../src/env/net.ts'
import type { PlatformCertificate } from './pure/path-validation.ts'

/** A certificate as Node reads it. */
class NodeCertificate implements PlatformCertificate {
  readonly #read: X509Certificate

  constructor(pem: string) {
    this.#read = new X509Certificate(pem)
  }

  get validFromMs(): number {
    return Date.parse(this.#read.validFrom)
  }

  get validToMs(): number {
    return Date.parse(this.#read.validTo)
  }

  get isAuthority(): boolean {
    return this.#read.ca
  }

  get peer(): PeerCertificate {
    return altNamesIn(this.#read.subjectAltName)
  }

  equals(other: NodeCertificate): boolean {
    return this.#read.raw.equals(other.#read.raw)
  }

  isIssuedBy(issuer: NodeCertificate): boolean {
    return this.#read.checkIssued(issuer.#read) && this.#read.verify(issuer.#read.publicKey)
  }

  isFor(name: string): boolean {
    return (isIP(name) === 0 ? this.#read.checkHost(name) : this.#read.checkIP(name)) !== undefined
  }

  hasKey(privateKeyPem: string): boolean {
    return this.#read.checkPrivateKey(createPrivateKey(privateKeyPem))
  }
}

export function readCertificate(pem: string): PlatformCertificate {
  return new NodeCertificate(pem)
}
