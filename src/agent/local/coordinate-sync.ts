import type { Ask } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { CoordinateRow } from '../../features/discovery/nearness.ts'
import type { Pool } from '../../gossip/pool.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { isRefusal, type OwnRefusals } from './own-refusals.ts'

/**
 * Minimum interval of one agent's updates, and maximum rate of updates in the whole pool. Reference:
 * configuration.md#coordinate-sync.
 */
const intervalMinMs = 15_000
const ratePerSecond = 64

interface CoordinateSync {
  readonly env: Env
  readonly pool: Pool
  readonly nodeName: string
  /** The agent's own token, as of now. */
  readonly token: () => string
  /** Reports why servers refuse. */
  readonly refusals: Pick<OwnRefusals, 'refused' | 'done'>
  send(update: CoordinateRow, token: string): Promise<Result<null, Failure>>
}

const thing = 'coordinate'

/** Sends this agent's network coordinate to the servers whenever it changes. */
export function syncCoordinate({ env, pool, nodeName, token, refusals, send }: CoordinateSync): () => void {
  const asks: readonly Ask[] = [{ resource: 'node', name: nodeName, right: 'write' }]
  const doing = `send the network coordinate of node ${JSON.stringify(nodeName)}`
  let told = pool.coordinateOf(nodeName)
  let timer: Closable | undefined
  let isStopped = false
  const tell = async (): Promise<void> => {
    const coordinate = pool.coordinateOf(nodeName)
    if (coordinate !== undefined && coordinate !== told) {
      const asker = token()
      const done = await send({ node: nodeName, segment: '', coordinate }, asker)
      if (done.ok) {
        told = coordinate
        refusals.done(thing)
      } else {
        if (isRefusal(done.error)) await refusals.refused({ thing, doing, token: asker, asks }, done.error)
        env.log.write('debug', 'agent', 'could not send the coordinate of this node', { why: failureText(done.error) })
      }
    }
    if (!isStopped) arm()
  }
  const arm = (): void => {
    const intervalMs = Math.max(intervalMinMs, (1_000 * pool.stats().members) / ratePerSecond)
    const drawn = env.random.draws('agent.coordinate').fraction()
    timer = env.timers.after(intervalMs + drawn * intervalMs, () => env.detach(tell()))
  }
  if (told !== undefined) arm()
  return () => {
    isStopped = true
    timer?.close()
  }
}
