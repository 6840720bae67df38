import { err, ok, type Result } from '../../../base/result.ts'
import type { ReadMeta, ReadOptions } from '../../../features/contract/reading.ts'
import type { WithConsensus } from '../../../features/contract/server-context.ts'
import type { WithEnv } from '../../../features/contract/surroundings.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'
import type { RequestRefusal } from '../../../raft/core/types.ts'
import type { Raft } from '../../../raft/raft.ts'
import { failureOfRefusal } from './refusal.ts'

/** How fresh the state of one server is: what Raft confirms of it, and what its answers say of it. */
export class Freshness {
  readonly #env: WithEnv['env']
  readonly #raft: Raft
  /** Confirmations of leadership that were requested in this turn, by their kind. */
  readonly #confirming = new Map<'readIndex' | 'leaseRead', ReturnType<Raft['readIndex']>>()

  constructor({ env, raft }: WithEnv & Pick<WithConsensus, 'raft'>) {
    this.#env = env
    this.#raft = raft
  }

  /** Whether the state is known in this turn to be fresh enough for a read that is not `consistent`. */
  isReached({ consistency }: ReadOptions): boolean {
    return consistency === 'stale' ? this.#raft.hasCaughtUp() : this.#raft.leaseReadsNow()
  }

  /** Makes sure that this server's state is as fresh as the caller demands. */
  async reached(read: ReadOptions): Promise<Result<unknown, Failure>> {
    if (read.consistency === 'stale' && this.#raft.hasCaughtUp()) return ok(undefined)
    const elsewhere = this.leaderElsewhere()
    // Without a known leader the state from before the restart is all there is: the answer says that it may be old.
    if (read.consistency === 'stale' && this.#raft.status().leader === undefined) return ok(undefined)
    if (elsewhere !== undefined) return err(elsewhere)
    const { clock, metrics } = this.#env
    const startedMs = clock.monoMs()
    const isConsistent = read.consistency === 'consistent'
    const ready = await this.#confirmed(isConsistent ? 'readIndex' : 'leaseRead')
    if (isConsistent) metrics.sample('rpc.consistentRead', clock.monoMs() - startedMs)
    return ready.ok ? ready : err(this.#refused(ready.error))
  }

  #refused(refusal: RequestRefusal): Failure {
    return failureOfRefusal(refusal, (id) => this.#addressOf(id))
  }

  /**
   * Confirmed once for all reads that need it in one turn, such as watchers that one change has woken. That is as good
   * as confirming each: all of them were under way before the turn began, and the confirmation is requested after that.
   */
  #confirmed(how: 'readIndex' | 'leaseRead'): ReturnType<Raft['readIndex']> {
    const shared = this.#confirming.get(how)
    if (shared !== undefined) return shared
    const asked = this.#raft[how]()
    this.#confirming.set(how, asked)
    this.#env.detach(endOfTurn().then(() => this.#confirming.delete(how)))
    return asked
  }

  #addressOf(id: string): string | undefined {
    return this.#raft.status().configuration.servers.find((server) => server.id === id)?.address
  }

  /**
   * A leader must not judge tokens by a state that lacks commits of an earlier leader, which may have deleted or
   * created the token.
   */
  async settled(): Promise<Result<unknown, Failure>> {
    if (this.#raft.status().role !== 'leader' || this.#raft.leadsSettled()) return ok(undefined)
    const ready = await this.#confirmed('leaseRead')
    if (ready.ok) return ready
    // Nothing was proposed: the loss of leadership leaves no doubt about the outcome.
    return err(ready.error.kind === 'leadership-lost' ? notLeader : this.#refused(ready.error))
  }

  leaderElsewhere(): Failure | undefined {
    const status = this.#raft.status()
    return status.role === 'leader' ? undefined : { kind: 'not-leader', leader: status.leader?.address }
  }

  /** After a restart, a server that has not caught up has no leader to vouch for its answers. */
  meta(index: ModifyIndex): ReadMeta {
    const status = this.#raft.status()
    if (status.role !== 'leader' && !this.#raft.hasCaughtUp()) return { index, knownLeader: false, lastContactMs: 0 }
    return {
      index,
      knownLeader: status.leader !== undefined,
      lastContactMs: status.role === 'leader' ? 0 : Math.round(status.lastContactMs ?? 0),
    }
  }
}

/** Settles after everything that this turn has already started. */
async function endOfTurn(): Promise<void> {
  await undefined
}

const notLeader: Failure = { kind: 'not-leader', leader: undefined }
