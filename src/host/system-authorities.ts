import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'

/**
 * Where systems keep the authorities that their administrators trust; the first one that can be read counts. Source: Go,
 * `crypto/x509`, root_linux.go, root_bsd.go.
 */
const usualFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
] as const

/**
 * The authorities that this machine trusts, in PEM. `SSL_CERT_FILE` names another file, as for programs in Go and with
 * OpenSSL: if it cannot be read, no authority is trusted. On a system without such a file those of Node count, which are
 * the web's. `NODE_EXTRA_CA_CERTS` adds some, as Node itself does only where no others are given.
 */
export function systemAuthorities(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const { SSL_CERT_FILE: given = '', NODE_EXTRA_CA_CERTS: added = '' } = environment
  const extra = added === '' ? undefined : textOf(added)
  const more = extra === undefined ? [] : [extra]
  if (given !== '') return [textOf(given) ?? [], more].flat()
  for (const file of usualFiles) {
    const pem = textOf(file)
    if (pem !== undefined) return [pem, ...more]
  }
  return [...rootCertificates, ...more]
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Whatever the reason, its authorities are not known.
    return undefined
  }
}
