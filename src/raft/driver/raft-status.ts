import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import { hasCaughtUp } from '../core/catch-up.ts'
import type { RaftCore } from '../core/state.ts'
import type { CoreStatus } from '../core/status.ts'
import type { Configuration, ServerId } from '../core/types.ts'
import type { RaftStatus } from '../raft.ts'

/** Member by member, for it is asked for with every request: copying by spread costs several times as much. */
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

/** Former members are forgotten when there are more than this. */
const knownMax = 512

/** Addresses of servers, by the newest configuration that named them: a removed server is still notified of that. */
export class Addresses {
  #known = new Map<ServerId, string>()
  #members: ReadonlySet<ServerId> = new Set()

  learn({ servers }: Configuration): void {
    if (this.#known.size > knownMax) this.#known = new Map()
    for (const { id, address } of servers) this.#known.set(id, address)
    this.#members = new Set(servers.map(({ id }) => id))
  }

  /** This server's name in the newest configuration: its node ID, or its address; undefined: it is not a member. */
  nameOf(nodeId: string, address: string): ServerId | undefined {
    if (this.#members.has(nodeId)) return nodeId
    return this.#members.has(address) ? address : undefined
  }

  /** Empty for a server that no configuration has named here yet. */
  of(id: ServerId): string {
    return this.#known.get(id) ?? ''
  }
}

/** Remembers that a server that started has caught up: once it has, it has for good. */
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
