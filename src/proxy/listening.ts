import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type ListenerTls, type TcpListener, type TcpStream } from '../env/net.ts'
import { addressesOf } from './dialling.ts'

const lookupTimeoutMs = 10_000

/** Listens at an address, or at the first that a name such as `localhost` has, of IPv4 where there is one. The error is a line. */
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
