import { textOf } from '../../../../base/bytes.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import type { Env } from '../../../../env/env.ts'
import type { TlsOptions } from '../../../../env/net.ts'
import { isAddress } from '../../../../rpc/address.ts'
import type { ManagerOptions } from './options.ts'

/** Larger files hold no certificates of one authority. */
const fileBytesMax = 1 << 20

/** How the secrets manager is spoken to; undefined: without TLS. Files are read each time, so that they may be renewed. */
export async function tlsOfManager(env: Env, options: ManagerOptions): Promise<Result<TlsOptions | undefined, string>> {
  const { address, tls } = options
  if (address.scheme === 'http') return ok(undefined)
  const trusted = await pemOf(env, tls.trusted, 'CAFile')
  if (!trusted.ok) return trusted
  const certificate = await pemOf(env, tls.certificate, 'CertFile')
  if (!certificate.ok) return certificate
  const key = await pemOf(env, tls.key, 'KeyFile')
  if (!key.ok) return key
  const serverName = tls.serverName === '' && !isAddress(address.host) ? address.host : tls.serverName
  const made: TlsOptions = {
    trustedPems: trusted.value === '' ? [] : [trusted.value],
    ...(tls.skipVerify ? { trust: 'anyone' as const } : trusted.value === '' ? { trust: 'system' as const } : {}),
    ...(serverName === '' ? {} : { serverName }),
    ...(certificate.value === '' ? {} : { certificateChainPem: certificate.value, privateKeyPem: key.value }),
  }
  const problem = env.tcp.tlsProblem(made)
  return problem === undefined ? ok(made) : err(`TLS to the secrets manager: ${problem}`)
}

/** PEM stands for itself, all else names a file of this server's. */
async function pemOf(env: Env, value: string, option: string): Promise<Result<string, string>> {
  if (value === '' || value.includes('-----BEGIN ')) return ok(value)
  const file = await env.disk.open(value, 'read')
  if (!file.ok) return err(`${option} cannot be opened: ${file.error.kind}`)
  const bytes = await file.value.read(0, fileBytesMax + 1)
  await file.value.close()
  if (!bytes.ok) return err(`${option} cannot be read: ${bytes.error.kind}`)
  return bytes.value.length > fileBytesMax
    ? err(`${option} is larger than ${fileBytesMax} bytes`)
    : ok(textOf(bytes.value))
}
