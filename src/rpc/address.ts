import type { Endpoint } from '../env/net.ts'

/** `10.0.0.1:8300` or `[::1]:8300`; undefined when the text is neither. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  return host === undefined || port > 65_535 ? undefined : { host, port }
}
