import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { CoordinateRow } from '../../features/coordinate/model.ts'
import type { Pool } from '../../gossip/pool.ts'
import { type Failure, failureText } from '../../model/failure.ts'

/**
 * Not more often than this, and not more often in the whole pool than so many times a second.
 * Reference: configuration.md#coordinate-sync.
 */
const intervalMinMs = 15_000
const ratePerSecond = 64

/** Tells the servers where this agent is, while that changes. */
export function syncCoordinate(
  env: Env,
  pool: Pool,
  nodeName: string,
  send: (update: CoordinateRow) => Promise<Result<null, Failure>>,
): () => void {
  const random = env.random.stream('agent.coordinate')
  let told = pool.coordinateOf(nodeName)
  let timer: Closable | undefined
  let isStopped = false
  const tell = async (): Promise<void> => {
    const coordinate = pool.coordinateOf(nodeName)
    if (coordinate !== undefined && coordinate !== told) {
      const done = await send({ node: nodeName, segment: '', coordinate })
      if (done.ok) told = coordinate
      else env.log.write('debug', 'agent', 'could not tell where this node is', { why: failureText(done.error) })
    }
    if (!isStopped) arm()
  }
  const arm = (): void => {
    const intervalMs = Math.max(intervalMinMs, (1_000 * pool.stats().members) / ratePerSecond)
    timer = env.timers.after(intervalMs + random.fraction() * intervalMs, () => env.detach(tell()))
  }
  if (told !== undefined) arm()
  return () => {
    isStopped = true
    timer?.close()
  }
}
