import { ipBytes } from '../../dns-wire/ip-address.ts'
import type { Env } from '../../env/env.ts'
import { certificatePem } from '../../pki/pem.ts'
import { signCertificate } from '../../pki/tls-certificate.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { TlsMaterial } from '../settings/tls-settings.ts'

/** Clocks of clients differ from the agent's. */
const backdatedMs = 3_600_000
/** Longer than any process runs: the next start makes another one. */
const lifeMs = 10 * 365 * 86_400_000

/**
 * A key and a certificate that the agent signs for itself, for an HTTPS port that is open without a certificate of its
 * operator. They live in memory alone and differ from start to start: connections are encrypted, and nothing proves to
 * a client which agent answers.
 */
export function ownCertificate(
  env: Env,
  { nodeName, httpsAddresses }: Pick<AgentConfig, 'nodeName' | 'httpsAddresses'>,
): NonNullable<TlsMaterial['identity']> {
  const key = env.crypto.makeSigningKey()
  const nowMs = env.clock.wallMs()
  const isName = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/i.test(nodeName)
  const content = {
    commonName: isName ? nodeName : 'localhost',
    notBeforeMs: nowMs - backdatedMs,
    notAfterMs: nowMs + lifeMs,
    authority: false,
    dnsNames: ['localhost', ...(isName ? [nodeName.toLowerCase()] : [])],
    addresses: httpsAddresses.flatMap((address) => ipBytes(address) ?? []),
    uses: ['server'] as const,
  }
  const signed = signCertificate(env.crypto, content, key, undefined)
  return { certificateChainPem: certificatePem(signed), privateKeyPem: key.privateKeyPem }
}
