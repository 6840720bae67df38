import type { Endpoint } from '../../src/env/net.ts'

/** Names would be looked up, at an unknown cost and outside every deadline: only addresses are taken. */
export function addressProblem({ host, port }: Endpoint): string | undefined {
  if (!isIpv4(host) && !isIpv6(host)) return `${JSON.stringify(host)} is not an IP address`
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return `${port} is not a port`
  return undefined
}

function isIpv4(host: string): boolean {
  const parts = host.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/** Groups of four digits, with one gap at most; no zone and no IPv4 tail, which nobody writes in a simulation. */
function isIpv6(host: string): boolean {
  const gaps = host.split('::')
  const groups = host.split(':').filter((group) => group !== '')
  if (gaps.length > 2 || !groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  if (gaps.length === 2) return groups.length < 8
  return groups.length === 8 && !host.startsWith(':') && !host.endsWith(':')
}
