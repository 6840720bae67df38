import { textOf } from '../../../../base/bytes.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import type { Env } from '../../../../env/env.ts'
import type { TlsOptions } from '../../../../env/net.ts'
import { isAddress } from '../../../../rpc/address.ts'
import type { ManagerOptions } from './options.ts'

/** Maximum size of a certificate file. */
const fileBytesMax = 1 << 20

/**
 * TLS options for the secrets manager; undefined: without TLS. Files are read each time, so that they may be renewed.
 */
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

/** The option is PEM, or the name of a file on this server. */
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
