import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs the openssl command on files of these contents, by name; what it says, or a throw where it fails. */
export function openssl(argv: readonly string[], files: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-openssl-'))
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
    const { status, stdout, stderr } = spawnSync('openssl', argv, { cwd: directory, encoding: 'utf8' })
    if (status !== 0) throw new Error(`openssl ${argv.join(' ')}: ${stdout}${stderr}`)
    return stdout
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const certificates = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g

/** The certificates of a PEM text, one by one. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(certificates) ?? []
}

/** Whether a verifier that trusts only these roots accepts the first certificate of a chain at that time. */
export function isTrusted(chain: string, roots: readonly string[], atMs: number): boolean {
  const [leaf = '', ...untrusted] = certificatesIn(chain)
  const moment = String(Math.floor(atMs / 1000))
  const behind = untrusted.length === 0 ? [] : ['-untrusted', 'behind']
  const argv = [
    'verify',
    '-x509_strict',
    '-purpose',
    'sslclient',
    '-attime',
    moment,
    '-CAfile',
    'roots',
    ...behind,
    'leaf',
  ]
  try {
    openssl(argv, { leaf, behind: untrusted.join('\n'), roots: roots.join('\n') })
    return true
  } catch {
    return false
  }
}
