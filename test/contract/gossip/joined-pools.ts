import { expect } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { Pool } from '../../../src/gossip/pool.ts'
import { open, statuses, until } from './pools.ts'
import type { Place } from './worlds.ts'

/** Pools of the first agents of a place, in which all know all. */
export async function joined(place: Place, names: readonly string[]): Promise<Pool[]> {
  const pools: Pool[] = []
  for (const [at, name] of names.entries()) {
    pools.push(await open(place.envs[at] as Env, name, place.hosts[at] as Endpoint))
  }
  const [first, ...others] = pools as [Pool, ...Pool[]]
  for (const other of others) expect(await other.join(first.self().endpoint)).toEqual({ ok: true, value: undefined })
  const all = names.map((name) => `${name} alive`).join(', ')
  for (const [at, pool] of pools.entries()) {
    await until(place.envs[at] as Env, pool, (members) => statuses(members) === all)
  }
  return pools
}

export async function stopAll(pools: readonly Pool[]): Promise<void> {
  for (const pool of pools) await pool.stop()
}
