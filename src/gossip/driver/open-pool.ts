import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { ListenFailure } from '../../env/net.ts'
import type { Pool, PoolOptions } from '../pool.ts'
import { encodeTags } from '../wire/tags.ts'
import { GossipPool } from './gossip-pool.ts'
import { openPorts } from './ports.ts'

/**
 * Opens the port for packets and streams and begins a pool of one; `join` makes it larger. If `bind` or `advertise`
 * have port 0, the free port that was found replaces it.
 */
export async function openPool(env: Env, options: PoolOptions): Promise<Result<Pool, ListenFailure>> {
  const { bind, advertise, tags } = options
  const meta = encodeTags(tags)
  if (meta === undefined) {
    return err({ kind: 'io', at: bind, message: 'the tags of this agent exceed the size limit of a member' })
  }
  let pool: GossipPool | undefined
  const ports = await openPorts(env, bind, {
    onDatagram: (from, bytes) => pool?.onDatagram(from, bytes),
    onStream: (stream) => (pool === undefined ? stream.close() : pool.onStream(stream)),
  })
  if (!ports.ok) return ports
  const { port } = ports.value.local
  const known = advertise.port === 0 ? { host: advertise.host, port } : advertise
  pool = new GossipPool(env, { ...options, advertise: known }, meta)
  pool.start(ports.value)
  return ok(pool)
}
