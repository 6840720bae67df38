import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownLoopback } from '../../tools/own-ports.ts'

export interface KeyAndCertificate {
  readonly certificateChainPem: string
  readonly privateKeyPem: string
}

export interface TlsMaterial {
  readonly rootPem: string
  /** For the name `server.dc1.svc` and the addresses 127.0.0.1 and `ownLoopback`. */
  readonly server: KeyAndCertificate
  readonly client: KeyAndCertificate
  /** A client of another root. */
  readonly stranger: KeyAndCertificate
  readonly strangerRootPem: string
}

export function opensslIsThere(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Fresh roots and leaves from the openssl command. */
export function makeTlsMaterial(): TlsMaterial {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  try {
    const ours = authority(folder, 'ours')
    const theirs = authority(folder, 'theirs')
    return {
      rootPem: readFileSync(join(folder, 'ours.pem'), 'utf8'),
      strangerRootPem: readFileSync(join(folder, 'theirs.pem'), 'utf8'),
      server: ours('server', `DNS:server.dc1.svc,IP:127.0.0.1,IP:${ownLoopback}`),
      client: ours('client', 'DNS:client.dc1.svc'),
      stranger: theirs('stranger', `DNS:server.dc1.svc,IP:127.0.0.1,IP:${ownLoopback}`),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function authority(folder: string, name: string): (leaf: string, names: string) => KeyAndCertificate {
  const openssl = (...words: string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' })
  }
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  )
  return (leaf, names) => {
    openssl('req', ...newKey, '-keyout', `${leaf}.key`, '-out', `${leaf}.csr`, '-subj', `/CN=${leaf}`)
    writeFileSync(join(folder, `${leaf}.ext`), `subjectAltName=${names}\n`)
    const signed = ['-CA', `${name}.pem`, '-CAkey', `${name}.key`, '-CAcreateserial', '-extfile', `${leaf}.ext`]
    openssl('x509', '-req', '-in', `${leaf}.csr`, ...signed, '-days', '2', '-out', `${leaf}.pem`)
    return {
      certificateChainPem: readFileSync(join(folder, `${leaf}.pem`), 'utf8'),
      privateKeyPem: readFileSync(join(folder, `${leaf}.key`), 'utf8'),
    }
  }
}
