import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'
import { isAddress } from '../rpc/address.ts'

/** Time limit for the lookup of a name. */
const lookupMs = 5_000

/** The present address of a receiver; undefined if its name cannot be resolved. */
export async function placeOf(env: Env, { host, port }: Endpoint): Promise<Endpoint | undefined> {
  if (isAddress(host)) return { host, port }
  const found = await env.names.lookup(host, lookupMs)
  const first = found.ok ? found.value[0] : undefined
  return first === undefined ? undefined : { host: first, port }
}
