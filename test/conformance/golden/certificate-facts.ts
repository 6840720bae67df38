import { spawnSync } from 'node:child_process'
import type { Exact } from './exact-json.ts'

/** What a client can rely on in a certificate, read by another program than ours: the first of a PEM text. */
export function certificateFacts(pem: Exact | undefined): Exact {
  if (typeof pem !== 'string' || !pem.includes('BEGIN CERTIFICATE')) return null
  const { stdout, status } = spawnSync('openssl', ['x509', '-noout', '-text'], { input: pem, encoding: 'utf8' })
  if (status !== 0) return null
  const pick = (pattern: RegExp): string[] => [...stdout.matchAll(pattern)].map(([, found = '']) => found.trim())
  return {
    subject: pick(/Subject: *(.*)/g).map(nameText),
    issuer: pick(/Issuer: *(.*)/g).map(nameText),
    sigalg: pick(/Signature Algorithm: (.*)/g).slice(0, 1),
    key: pick(/Public Key Algorithm: (.*)/g),
    curve: pick(/NIST CURVE: (.*)/g),
    san: pick(/Subject Alternative Name:.*\n(.*)/g),
    basic: pick(/Basic Constraints:.*\n(.*)/g),
    usage: pick(/X509v3 Key Usage:.*\n(.*)/g),
    extended: pick(/Extended Key Usage:.*\n(.*)/g),
    critical: pick(/X509v3 ([^\n:]*): critical/g),
  }
}

/** With spaces around the sign of equality, which the program's releases since 3.2 leave out. */
function nameText(name: string): string {
  return name.replace(/ ?= ?/g, ' = ')
}
