import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText } from '../../env/net.ts'
import { isAddress } from '../../rpc/address.ts'

const lookupTimeoutMs = 10_000
/** Time limit for each address of a name that has several; the last one has no such limit. */
const tryTimeoutMs = 2_000

/** An agent whose host was given by name or address, and what a request must say that it is for. */
export interface FoundAgent {
  readonly to: Endpoint
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/**
 * Where the agent is that is meant. A name is looked up once for a command; of several addresses the first counts that takes a
 * connection, or else the last. The error is a clause.
 */
export async function findAgent(env: Pick<Env, 'names' | 'tcp'>, named: Endpoint): Promise<Result<FoundAgent, string>> {
  const { host, port } = named
  if (host.startsWith('unix://') || isAddress(host.replace(/%.*$/, ''))) return ok({ to: named, headers: [] })
  const found = await env.names.lookup(host, lookupTimeoutMs)
  if (!found.ok) {
    const why = found.error.kind === 'not-found' ? 'no such host' : found.error.message
    return err(`dial tcp: lookup ${host}: ${why}`)
  }
  const address = await reachable(env, found.value, port)
  return ok({ to: { host: address, port }, headers: [['Host', endpointText(named)]] })
}

async function reachable(env: Pick<Env, 'tcp'>, addresses: readonly string[], port: number): Promise<string> {
  const last = addresses.at(-1) ?? ''
  for (const host of addresses) {
    if (host === last) break
    const dialled = await env.tcp.dial({ host, port }, { timeoutMs: tryTimeoutMs })
    if (!dialled.ok) continue
    dialled.value.onClose(() => undefined)
    dialled.value.close()
    return host
  }
  return last
}
