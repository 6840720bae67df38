import type { Env } from '../../env/env.ts'
import type { Raft, RaftStatus } from '../../raft/raft.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { ttlOf } from './access-control.ts'
import type { StateStanding } from './state-tokens.ts'

/** The possible age of a state whose server never heard of a leader. */
const unknownAgeMs = Number.MAX_SAFE_INTEGER

/**
 * How far a server may trust its own state about tokens.
 *
 * A server that is cut off from its leader keeps using its state, unless the down policy is `deny`: all data that it
 * can answer is as old as the rights. With `deny` it refuses every token once the TTL of tokens and the hold time for
 * requests without a leader have passed.
 */
export class ServerStanding implements StateStanding {
  readonly #env: Pick<Env, 'deferred' | 'timers' | 'detach'>
  readonly #raft: Pick<Raft, 'status' | 'hasCaughtUp' | 'untilCaughtUp'>
  readonly #holdMs: number
  readonly #cutOffAfterMs: number

  constructor(
    env: Pick<Env, 'deferred' | 'timers' | 'detach'>,
    raft: Pick<Raft, 'status' | 'hasCaughtUp' | 'untilCaughtUp'>,
    { access, rpcHoldTimeoutMs }: Pick<AgentConfig, 'access' | 'rpcHoldTimeoutMs'>,
  ) {
    this.#env = env
    this.#raft = raft
    this.#holdMs = rpcHoldTimeoutMs
    this.#cutOffAfterMs = access.downPolicy === 'deny' ? ttlOf(access) + rpcHoldTimeoutMs : Number.POSITIVE_INFINITY
  }

  now(): ReturnType<StateStanding['now']> {
    const hasCaughtUp = this.#raft.hasCaughtUp()
    if (hasCaughtUp && this.#cutOffAfterMs === Number.POSITIVE_INFINITY) return 'current'
    const status = this.#raft.status()
    if (hasCaughtUp) return (status.lastContactMs ?? 0) > this.#cutOffAfterMs ? 'cut-off' : 'current'
    if (status.leader !== undefined) return 'coming'
    return hasBegun(status) ? 'lost' : 'current'
  }

  async settled(): Promise<void> {
    const over = this.#env.deferred<void>()
    const timer = this.#env.timers.after(this.#holdMs, () => over.resolve())
    this.#env.detach(this.#raft.untilCaughtUp().then(() => over.resolve()))
    await over.promise
    timer.close()
  }

  ageMs(): number {
    const { role, lastContactMs } = this.#raft.status()
    if (role === 'leader') return 0
    return this.#raft.hasCaughtUp() ? Math.round(lastContactMs ?? unknownAgeMs) : unknownAgeMs
  }
}

/** A cluster without any leader so far has no known state: its first log entry names its servers. */
function hasBegun({ lastIndex, snapshotIndex }: RaftStatus): boolean {
  return lastIndex > 1 || snapshotIndex > 0
}
