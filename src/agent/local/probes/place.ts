import { err, ok, type Result } from '../../../base/result.ts'
import type { Endpoint } from '../../../env/net.ts'

/** The address that a host of a URL or of `host:port` means. Names other than `localhost` need a resolver. */
function addressOf(host: string): Result<string, string> {
  if (host.toLowerCase() === 'localhost') return ok('127.0.0.1')
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return ok(host)
  if (/^\[[0-9a-f:.]+\]$/i.test(host)) return ok(host.slice(1, -1))
  return err(`lookup ${host}: names need a resolver, which this agent does not have yet: write an IP address`)
}

/** `10.0.0.1:80`, `[::1]:80`, `localhost:80`. Without a port it takes the one given. */
export function endpointAt(authority: string, defaultPort?: number): Result<Endpoint, string> {
  const [, host = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  if (host === '') return err(`address ${authority}: not a host and a port`)
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port === undefined) return err(`address ${authority}: missing port in address`)
  if (port < 1 || port > 65_535) return err(`address ${authority}: invalid port`)
  const address = addressOf(host)
  return address.ok ? ok({ host: address.value, port }) : address
}
