import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))

export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

/** Runs `svc tls …` in a directory, and gives the files that it says it saved. */
export function tlsCommand(directory: string, ...words: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [svc, 'tls', ...words], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      const files = [...said.matchAll(/^==> Saved (.+)$/gm)].map(([, name]) => join(directory, name ?? ''))
      if (code === 0) resolve(files)
      else reject(new Error(said))
    })
  })
}

/** A new certificate of the authority in that directory. */
export async function makeCertificate(directory: string, ...words: readonly string[]): Promise<CertificateFiles> {
  const [cert_file = '', key_file = ''] = await tlsCommand(directory, 'cert', 'create', ...words)
  return { cert_file, key_file }
}

/** Puts a pair where an agent looks for its own. */
export function putInPlace(from: CertificateFiles, to: CertificateFiles): void {
  copyFileSync(from.cert_file, to.cert_file)
  copyFileSync(from.key_file, to.key_file)
}
