import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { openPool } from '../../../src/gossip/driver/open-pool.ts'
import { Keyring } from '../../../src/gossip/keyring.ts'
import type { GossipTiming, Member, Pool, PoolEncryption, PoolOptions } from '../../../src/gossip/pool.ts'

/** Fast, so that what takes seconds in a pool takes parts of one here. */
export const quickTiming: GossipTiming = {
  gossipIntervalMs: 20,
  gossipNodes: 3,
  probeIntervalMs: 100,
  probeTimeoutMs: 50,
  suspicionMult: 3,
  retransmitMult: 4,
  pushPullIntervalMs: 1_000,
  streamTimeoutMs: 2_000,
  gossipToDeadMs: 5_000,
  reconnectIntervalMs: 500,
  reapIntervalMs: 500,
  reconnectTimeoutMs: 60_000,
  tombstoneTimeoutMs: 60_000,
  leavePropagateDelayMs: 200,
}

export async function open(
  env: Env,
  name: string,
  bind: Endpoint,
  tags: Readonly<Record<string, string>> = { role: name },
  more: Partial<PoolOptions> = {},
): Promise<Pool> {
  const pool = await openPool(env, { name, bind, advertise: bind, tags, timing: quickTiming, ...more })
  if (!pool.ok) throw new Error(`cannot open a pool: ${pool.error.kind}`)
  return pool.value
}

/** Waits until the members of this pool are so, looking at each change. */
export async function until(env: Env, pool: Pool, isSo: (members: readonly Member[]) => boolean): Promise<void> {
  if (isSo(pool.members())) return
  const deferred = env.deferred<void>()
  const watching = pool.onChange(() => {
    if (isSo(pool.members())) deferred.resolve()
  })
  await deferred.promise
  watching.close()
}

export function statuses(members: readonly { readonly name: string; readonly status: string }[]): string {
  return members.map(({ name, status }) => `${name} ${status}`).join(', ')
}

/** With these keys in base64, the primary first. */
export function encrypted(...keys: readonly string[]): { readonly encryption: PoolEncryption } {
  const keyring = Keyring.from(keys)
  if (!keyring.ok) throw new Error(keyring.error)
  return { encryption: { keyring: keyring.value, verifyIncoming: true, verifyOutgoing: true } }
}
