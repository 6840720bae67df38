import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import {
  type Endpoint,
  endpointText,
  type ListenerTls,
  type TcpListener,
  type TcpStream,
  type TlsOptions,
} from '../env/net.ts'

/** Dials a host by name or address, each of its addresses in turn. The error is a clause for the log. */
export async function dialHost(
  env: Pick<Env, 'tcp' | 'names'>,
  { host, port }: Endpoint,
  timeoutMs: number,
  tls?: TlsOptions,
): Promise<Result<TcpStream, string>> {
  const found = await addressesOf(env, host, timeoutMs)
  if (!found.ok) return found
  let last = 'there is no address'
  for (const address of found.value) {
    const dialled = await env.tcp.dial({ host: address, port }, { timeoutMs, ...(tls === undefined ? {} : { tls }) })
    if (dialled.ok) return dialled
    last = 'message' in dialled.error ? `${dialled.error.kind}: ${dialled.error.message}` : dialled.error.kind
  }
  return err(last)
}

async function addressesOf(
  env: Pick<Env, 'names'>,
  host: string,
  timeoutMs: number,
): Promise<Result<readonly string[], string>> {
  if (isAddress(host)) return ok([host])
  const found = await env.names.lookup(host, timeoutMs)
  return found.ok ? found : err(`the name ${host} is not known: ${found.error.kind}`)
}

/** Whether it is an address: names of hosts neither consist of digits and dots nor contain colons. */
function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(':')
}

const lookupTimeoutMs = 10_000

/**
 * Listens at an address, or at the first address of a name such as `localhost`, preferably IPv4. The error is a line.
 */
export async function listenAt(
  env: Pick<Env, 'tcp' | 'names'>,
  at: Endpoint,
  take: (stream: TcpStream) => void,
  tls?: ListenerTls,
): Promise<Result<TcpListener, string>> {
  const found = await addressesOf(env, at.host, lookupTimeoutMs)
  if (!found.ok) return err(`cannot listen on ${endpointText(at)}: ${found.error}`)
  const host = found.value.find((address) => !address.includes(':')) ?? found.value[0] ?? at.host
  const listening = await env.tcp.listen({ host, port: at.port }, take, tls)
  if (listening.ok) return ok(listening.value)
  const { error } = listening
  return err(`cannot listen on ${endpointText(at)}: ${'message' in error ? error.message : error.kind}`)
}
