import type { Ask } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { CoordinateRow } from '../../features/discovery/nearness.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Coordinate } from '../../model/coordinate.ts'
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

/** A coordinate that does not change is sent again in every round of this many. */
const roundsMax = 10

/**
 * Sends this agent's network coordinate to the servers when it starts, whenever it changes, and now and then: an agent
 * that is alone measures no other, and the catalog may have lost the coordinate with the node, or by a restore.
 */
export function syncCoordinate({ env, pool, nodeName, token, refusals, send }: CoordinateSync): () => void {
  const asks: readonly Ask[] = [{ resource: 'node', name: nodeName, right: 'write' }]
  const doing = `send the network coordinate of node ${JSON.stringify(nodeName)}`
  let told: Coordinate | undefined
  let rounds = 0
  let timer: Closable | undefined
  let isStopped = false
  const tell = async (): Promise<void> => {
    const coordinate = pool.coordinateOf(nodeName)
    rounds++
    if (coordinate !== undefined && (coordinate !== told || rounds >= roundsMax)) {
      const asker = token()
      const done = await send({ node: nodeName, segment: '', coordinate }, asker)
      if (done.ok) {
        told = coordinate
        rounds = 0
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
  if (pool.coordinateOf(nodeName) !== undefined) arm()
  return () => {
    isStopped = true
    timer?.close()
  }
}
