import { err, ok, type Result } from '../../../base/result.ts'
import { endpointText } from '../../../env/net.ts'
import type { DiscoveryEnv, DiscoveryRequest } from './request.ts'

/** Maximum time for one lookup. */
const lookupMs = 10_000

/** `provider=dns name=servers.example.com port=8301`: all addresses of a name, with the port if one is given. */
export async function askDns(
  { names }: DiscoveryEnv,
  request: DiscoveryRequest,
): Promise<Result<readonly string[], string>> {
  const port = request.get('port')
  const number = Number(port)
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && number >= 1 && number <= 65_535)) {
    return err('provider dns: port: write a number from 1 to 65535')
  }
  const found = await names.lookup(request.get('name') ?? '', lookupMs)
  if (!found.ok) return err(`provider dns: ${found.error.message}`)
  return ok(found.value.map((host) => (port === undefined ? host : endpointText({ host, port: number }))))
}
