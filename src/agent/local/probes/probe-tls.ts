import type { TlsOptions } from '../../../env/net.ts'

/**
 * Whose certificate is not to be verified is trusted whoever it is; the name is that of the target. `own`: what the agent shows
 * and whom it trusts, where its checks are to be its own.
 */
export function probeTls(serverName: string, skipVerify: boolean, own: TlsOptions | undefined): TlsOptions {
  const asAnybody: TlsOptions = { trustedPems: [], trust: 'system' }
  return { serverName, ...(own ?? asAnybody), ...(skipVerify ? { trust: 'anyone' } : {}) }
}
