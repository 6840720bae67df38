import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import { hasCaughtUp } from '../core/catch-up.ts'
import type { RaftCore } from '../core/state.ts'
import type { CoreStatus } from '../core/status.ts'
import type { RaftStatus } from '../raft.ts'
import type { Addresses } from './sender.ts'

/**
 * Copied member by member, because it is needed with every request, and copying by spread costs several times as much.
 */
export function raftStatusOf(
  core: CoreStatus,
  addresses: Addresses,
  appliedIndex: LogIndex,
  pendingProposals: number,
  diskIsFull: boolean,
): RaftStatus {
  const { leader } = core
  return {
    role: core.role,
    term: core.term,
    leader: leader === undefined ? undefined : { id: leader, address: addresses.of(leader) },
    commitIndex: core.commitIndex,
    lastIndex: core.lastIndex,
    lastTerm: core.lastTerm,
    snapshotIndex: core.snapshotIndex,
    snapshotTerm: core.snapshotTerm,
    configuration: core.configuration,
    configurationIndex: core.configurationIndex,
    lastContactMs: core.lastContactMs,
    appliedIndex,
    pendingProposals,
    diskIsFull,
  }
}

/** Remembers that a started server has caught up, which is final. */
export class CatchingUp {
  readonly #over: Deferred<void>
  #isOver = false

  constructor(env: Pick<Env, 'deferred'>) {
    this.#over = env.deferred<void>()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  look(raft: RaftCore, applied: LogIndex): void {
    if (this.#isOver || !hasCaughtUp(raft, applied)) return
    this.#isOver = true
    this.#over.resolve()
  }
}
