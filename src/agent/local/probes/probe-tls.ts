import type { TlsOptions } from '../../../env/net.ts'

/**
 * TLS options of a check. With `skipVerify` any certificate of the target is accepted; otherwise it must be for
 * `serverName`. `own` holds the agent's certificate and trusted authorities, if its checks use them.
 */
export function probeTls(serverName: string, skipVerify: boolean, own: TlsOptions | undefined): TlsOptions {
  const asAnybody: TlsOptions = { trustedPems: [], trust: 'system' }
  return { serverName, ...(own ?? asAnybody), ...(skipVerify ? { trust: 'anyone' } : {}) }
}
