import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ServerId } from '../../raft/core/types.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Ground, Part } from '../ground.ts'
import { ownAddress } from './introductions.ts'

/** How often a server that leaves looks whether it has been taken out. */
const lookMs = 100

/**
 * How a server leaves the consensus group, in order:
 * 1. A leader hands over, so that somebody else may take it out: a leader does not remove itself while it serves.
 * 2. It leaves the pool. The new leader sees that, and removes it from the configuration.
 * 3. It goes on for at most the drain time, until it sees itself removed, so that the group never loses two at once.
 * The last server of a group has nobody to hand over to, and stays in its configuration: started again, it leads again.
 */
export function leaveConsensus(ground: Ground, raft: Raft): Pick<Part, 'beforeLeave' | 'afterLeave'> {
  const { env, config, nodeId } = ground
  const own = (): ServerId | undefined => raft.memberName(nodeId, ownAddress(config))
  const others = (): boolean => {
    const { servers } = raft.status().configuration
    return servers.some((server) => server.id !== own() && server.suffrage === 'voter')
  }
  const isMember = (): boolean => own() !== undefined
  return {
    beforeLeave: async () => {
      if (raft.status().role !== 'leader' || !others()) return
      const handed = await raft.transferLeadership()
      if (!handed.ok)
        env.log.write('warn', 'agent', 'leaving without handing over leadership', { why: handed.error.kind })
    },
    afterLeave: async (): Promise<Result<undefined, Failure>> => {
      const untilMs = env.clock.monoMs() + config.leaveDrainMs
      while (others() && isMember()) {
        if (env.clock.monoMs() >= untilMs) {
          return err({ kind: 'refused', message: 'left, but the remaining servers have not removed this one in time' })
        }
        const pause = env.deferred<void>()
        env.timers.after(lookMs, () => pause.resolve())
        await pause.promise
      }
      return ok(undefined)
    },
  }
}
