import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'
import type { ServerId } from '../../raft/core/types.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Closing } from '../boot/lifecycle.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { ownAddress } from './introductions.ts'

/** Interval at which a leaving server checks whether it has been removed. */
const lookMs = 100

interface LeavingServer {
  readonly env: Env
  readonly config: AgentConfig
  readonly nodeId: string
}

/** What surrounds leaving the pool. */
interface Leave {
  /** Before it: a leader hands over. */
  beforeLeave(): Promise<void>
  /** After it: the server waits until it is removed from the consensus group, for at most the drain time. */
  afterLeave(): Promise<Result<undefined, Failure>>
}

/**
 * How a server leaves the Raft configuration, in order:
 * 1. A leader hands over its leadership, so that another server may remove it: a leader does not remove itself while it
 *    serves.
 * 2. It leaves the pool. The new leader sees that, and removes it from the configuration.
 * 3. It keeps running for at most the drain time, until it sees itself removed, so that the configuration never loses
 *    two servers at once. The last server has no other to hand over to, and stays in its configuration: after a restart
 *    it leads again.
 */
export function leaveConsensus({ env, config, nodeId }: LeavingServer, raft: Raft, closing: Closing): Leave {
  const looks = new Looks(env)
  closing.push(() => looks.close())
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
        env.log.write('warn', 'agent', 'leaving without a transfer of leadership', { why: handed.error.kind })
    },
    afterLeave: async (): Promise<Result<undefined, Failure>> => {
      const untilMs = env.clock.monoMs() + config.leaveDrainMs
      while (others() && isMember()) {
        if (env.clock.monoMs() >= untilMs) {
          return err({ kind: 'refused', message: 'left, but the remaining servers have not removed this one in time' })
        }
        if (!(await looks.next())) return err({ kind: 'shutting-down' })
      }
      return ok(undefined)
    },
  }
}

/** The pauses between looks at the configuration. An agent that stops meanwhile looks no more. */
class Looks {
  readonly #env: Env
  #timer: Closable | undefined
  #end: () => void = () => undefined
  #isOver = false

  constructor(env: Env) {
    this.#env = env
  }

  close(): void {
    this.#isOver = true
    this.#timer?.close()
    this.#end()
  }

  /** Settles when the next look is due. False: the agent stops, and no look is due any more. */
  async next(): Promise<boolean> {
    const due = this.#env.deferred<void>()
    this.#end = () => due.resolve()
    if (this.#isOver) return false
    this.#timer = this.#env.timers.after(lookMs, () => due.resolve())
    await due.promise
    return !this.#isOver
  }
}
