import { equalBytes } from '../../../src/base/bytes.ts'
import { ipBytes } from '../../../src/dns-wire/ip-address.ts'
import type { Crypto } from '../../../src/env/crypto.ts'
import type { PeerCertificate } from '../../../src/env/net.ts'
import { type Certificate, readCertificate as readDerCertificate } from '../../../src/pki/certificate.ts'
import { certificateIn } from '../../../src/pki/pem.ts'
import type { PlatformCertificate, ReadCertificate } from '../../platform/pure/path-validation.ts'
import { readSigningKey } from './signing-keys.ts'

/** A certificate as `src/pki` reads it. */
class WebCertificate implements PlatformCertificate {
  readonly #read: Certificate
  readonly #verify: Crypto['verify']

  constructor(read: Certificate, verify: Crypto['verify']) {
    this.#read = read
    this.#verify = verify
  }

  get validFromMs(): number {
    return this.#read.notBeforeMs
  }

  get validToMs(): number {
    return this.#read.notAfterMs
  }

  get isAuthority(): boolean {
    return this.#read.authority && this.#read.keyUsages?.includes('keyCertSign') !== false
  }

  /** Node writes names with other characters in quotes, and then production ignores them. */
  get peer(): PeerCertificate {
    const { dnsNames, uris } = this.#read
    return { names: dnsNames.filter((name) => !/[",]/.test(name)).map((name) => name.toLowerCase()), uris }
  }

  equals(other: WebCertificate): boolean {
    return equalBytes(this.#read.der, other.#read.der)
  }

  isIssuedBy(issuer: WebCertificate): boolean {
    const { issuer: name, authorityKeyId, signatureAlgorithm, signedBytes, signature } = this.#read
    const { subject, subjectKeyId, keyUsages, publicKey } = issuer.#read
    if (!equalBytes(name, subject) || keyUsages?.includes('keyCertSign') === false) return false
    if (authorityKeyId !== undefined && subjectKeyId !== undefined && !equalBytes(authorityKeyId, subjectKeyId))
      return false
    return signatureAlgorithm !== undefined && this.#verify(publicKey, signatureAlgorithm, signedBytes, signature)
  }

  /** The common name counts if there are no names of hosts. RFC 6125, section 6.4. */
  isFor(name: string): boolean {
    const { addresses, dnsNames, commonName } = this.#read
    const address = ipBytes(name)
    if (address !== undefined) return addresses.some((each) => equalBytes(each, address))
    return (dnsNames.length > 0 ? dnsNames : [commonName]).some((each) =>
      covers(each.toLowerCase(), name.toLowerCase()),
    )
  }

  hasKey(privateKeyPem: string): boolean {
    const key = readSigningKey(privateKeyPem)
    if (key === undefined) throw new Error('the key cannot be read')
    return equalBytes(key.publicKey, this.#read.publicKey)
  }
}

/** A wildcard stands for the first label. */
function covers(pattern: string, name: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === name
  const dot = name.indexOf('.')
  return dot > 0 && name.slice(dot) === pattern.slice(1)
}

export function certificateReader(verify: Crypto['verify']): ReadCertificate {
  return (pem) => {
    const der = certificateIn(pem)
    const read = der === undefined ? undefined : readDerCertificate(der)
    if (read?.ok !== true) throw new Error(read?.error ?? 'the text has no certificate')
    return new WebCertificate(read.value, verify)
  }
}
