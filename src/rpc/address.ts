import type { Endpoint } from '../env/net.ts'

/**
 * `10.0.0.1:8300` or `[::1]:8300`; with a default port also `10.0.0.1`, `::1` and `[::1]`, which mean that one. Undefined
 * when the text is none of these.
 */
export function parseEndpoint(text: string, defaultPort?: number): Endpoint | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  if (host === undefined) return defaultPort === undefined ? undefined : bareAddress(text, defaultPort)
  const port = Number(match?.[3])
  return port > 65_535 ? undefined : { host, port }
}

function bareAddress(text: string, port: number): Endpoint | undefined {
  const match = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[?([0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.%]*)\]?)$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  return host === undefined ? undefined : { host, port }
}
