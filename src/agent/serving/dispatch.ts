import { type Authorizer, unrestricted } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { readBy } from '../../features/contract/fields.ts'
import type { Answer, ReadMeta, ReadOptions, Standing } from '../../features/contract/reading.ts'
import type {
  EndpointDefinition,
  QueryEndpoint,
  ServerContext,
  ServerEndpoint,
  WriteEndpoint,
} from '../../features/contract/server-context.ts'
import type { Failure } from '../../model/failure.ts'
import { blockingJitterFraction } from '../../model/limits.ts'
import type { RequestRefusal } from '../../raft/core/types.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Store } from '../../store/store.ts'
import { Askers, type Reader } from '../access/askers.ts'
import type { Gate } from '../access/gate.ts'
import type { AgentObserver, ParkedRead } from '../agent.ts'
import { type KeptResult, KeptResults, type LiveResult } from './kept-results.ts'
import { type Caller, Leaving } from './leaving.ts'
import { ParkedReads } from './parked-reads.ts'
import { failureOfRefusal } from './refusal.ts'
import { type AgentRequest, waitOf } from './request.ts'
import { type Found, SeenResults } from './seen-results.ts'
import { Served } from './served.ts'

/**
 * What one server answers: the only place where endpoints are served, whether the request came from this agent's own
 * HTTP face or from another agent.
 */
export class Dispatch {
  readonly #context: ServerContext
  readonly #raft: Raft
  readonly #endpoints: ReadonlyMap<string, EndpointDefinition>
  readonly #results: KeptResults
  readonly #store: Store
  readonly #observer: DispatchObserver
  /** Undefined: access control is off, and everybody may do everything. */
  readonly #gate: Gate | undefined
  readonly #askers: Askers
  readonly #parked: ParkedReads
  readonly #seen: SeenResults
  /** Questions whether this server still leads, asked in this turn. */
  readonly #confirming = new Map<'readIndex' | 'leaseRead', ReturnType<Raft['readIndex']>>()

  constructor(
    context: ServerContext,
    store: Store,
    endpoints: readonly EndpointDefinition[],
    observer: DispatchObserver = {},
    gate?: Gate,
  ) {
    this.#gate = gate
    this.#askers = new Askers(gate, store.live)
    this.#context = context
    this.#store = store
    this.#observer = observer
    this.#results = new KeptResults(store, {}, context.release)
    this.#seen = new SeenResults(store, gate)
    this.#raft = context.raft
    this.#parked = new ParkedReads(context, gate)
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.method, endpoint]))
  }

  /** Ends the reads that are parked; none is parked from here on. */
  stop(): void {
    this.#parked.stop()
  }

  endpoint(method: string): EndpointDefinition | undefined {
    return this.#endpoints.get(method)
  }

  /** Serves a request here, or names the leader: the caller forwards the request. */
  async serve(method: string, request: AgentRequest, caller: Caller): Promise<Result<unknown, Failure>> {
    const endpoint = this.#endpoints.get(method)
    if (endpoint === undefined) return err({ kind: 'unknown-method', method })
    const args = readBy(endpoint.args, request.args)
    if (!args.ok) return err({ kind: 'bad-request', message: `${method}: malformed arguments` })
    this.#context.env.metrics.count('rpc.request')
    switch (endpoint.kind) {
      case 'write':
        return this.#write(endpoint, args.value, request)
      case 'query':
        return this.#query(endpoint, args.value, request.read ?? plainRead, caller, request.token ?? '')
      case 'server':
        return this.#ask(endpoint, args.value, request)
    }
  }

  /**
   * A read of this agent's own that does not wait, where the state is known to be fresh enough without asking; undefined
   * where it is not. The arguments are what the endpoint's type says: what comes from other agents is checked in `serve`.
   */
  answerNow(
    endpoint: QueryEndpoint,
    args: unknown,
    read: ReadOptions,
    token: string,
  ): Result<Served, Failure> | undefined {
    const unavailable = endpoint.unavailable?.(this.#context)
    if (unavailable !== undefined) return err(unavailable)
    if (read.minIndex > 0 || read.consistency === 'consistent') return undefined
    const isStale = read.consistency === 'stale'
    if (isStale ? !this.#raft.hasCaughtUp() : !this.#raft.leaseReadsNow()) return undefined
    const asking = this.#askers.now(endpoint, args, token)
    if (asking === undefined || !asking.ok) return asking
    const found = this.#find(endpoint, args, asking.value)
    if (found === undefined || !found.ok) return found
    const { index } = found.value
    const meta = isStale ? this.#meta(index) : { index, knownLeader: true, lastContactMs: 0 }
    return ok(this.#served(endpoint, args, found.value, meta))
  }

  async #write(endpoint: WriteEndpoint, args: unknown, request: AgentRequest): Promise<Result<unknown, Failure>> {
    const elsewhere = this.#leaderElsewhere()
    if (elsewhere !== undefined) return err(elsewhere)
    const entered = await this.#enter(endpoint, args, request)
    return entered.ok ? endpoint.serve(this.#context, args, request.identity, entered.value) : entered
  }

  async #ask(endpoint: ServerEndpoint, args: unknown, request: AgentRequest): Promise<Result<unknown, Failure>> {
    const elsewhere = endpoint.leader && request.read?.consistency !== 'stale' ? this.#leaderElsewhere() : undefined
    if (elsewhere !== undefined) return err(elsewhere)
    const entered = await this.#enter(endpoint, args, request)
    return entered.ok ? endpoint.serve(this.#context, args, entered.value) : entered
  }

  /** What the token of a request may do; a failure where that is not enough, or there is no such token. */
  async #enter(
    endpoint: WriteEndpoint | ServerEndpoint,
    args: unknown,
    { token = '' }: AgentRequest,
  ): Promise<Result<Authorizer, Failure>> {
    if (this.#gate === undefined) return free
    const settled = await this.#settled()
    if (!settled.ok) return settled
    const entered = await this.#gate.enter(endpoint, token)
    if (!entered.ok) return entered
    const refusal = this.#gate.refusal(endpoint, entered.value, args, this.#store.live)
    return refusal === undefined ? entered : err(refusal)
  }

  /** A leader judges nobody by a state that lacks what an earlier leader committed: a token it took away, or has just made. */
  async #settled(): Promise<Result<unknown, Failure>> {
    if (this.#raft.status().role !== 'leader' || this.#raft.leadsSettled()) return free
    const ready = await this.#confirmed('leaseRead')
    if (ready.ok) return ready
    // Nothing was proposed: that it leads no longer leaves no doubt.
    return err(ready.error.kind === 'leadership-lost' ? notLeader : this.#refused(ready.error))
  }

  #leaderElsewhere(): Failure | undefined {
    const status = this.#raft.status()
    return status.role === 'leader' ? undefined : { kind: 'not-leader', leader: status.leader?.address }
  }

  async #query(
    endpoint: QueryEndpoint,
    args: unknown,
    read: ReadOptions,
    caller: Caller,
    token: string,
  ): Promise<Result<Answer<unknown>, Failure>> {
    const unavailable = endpoint.unavailable?.(this.#context)
    if (unavailable !== undefined) return err(unavailable)
    if (read.minIndex === 0) {
      for (;;) {
        const asker = await this.#ready(endpoint, args, read, token)
        const found = asker.ok ? this.#find(endpoint, args, asker.value) : asker
        if (found !== undefined) return found.ok ? ok(this.#answer(endpoint, args, found.value)) : found
      }
    }
    const deadlineMs = this.#context.env.clock.monoMs() + this.#blockFor(read)
    const leaving = new Leaving(caller)
    let observed: ParkedRead | undefined
    let before: Found | undefined
    let beforeAt = 0
    for (;;) {
      const asking = await this.#ready(endpoint, args, read, token)
      if (!asking.ok) return asking
      // Evaluated and parked in one synchronous turn: no commit can fall between, so no wake-up is lost (W2).
      const found = this.#find(endpoint, args, asking.value)
      if (found === undefined) continue
      if (!found.ok) return found
      const { result, asker } = found.value
      const leftMs = deadlineMs - this.#context.env.clock.monoMs()
      if (leftMs <= 0 || this.#seen.isNews(before, found.value, read.minIndex)) {
        return ok(this.#answer(endpoint, args, found.value))
      }
      // What the caller knows may be of a later state than the one that this server had come to.
      if (before === undefined || beforeAt < read.minIndex) {
        before = found.value
        beforeAt = this.#store.index
      }
      if (observed === undefined || observed.found.at < read.minIndex) {
        observed = this.#observed(endpoint, args, read.minIndex, found.value)
      }
      const over = observed === undefined ? undefined : this.#observer.readParked?.(observed)
      const woken = await this.#parked.park(endpoint, asker, {
        wait: (wake) => this.#results.wait(result, wake),
        waitMs: leftMs,
        read,
        caller: leaving,
      })
      over?.()
      if (!woken.ok) return woken
    }
  }

  /** When this server's state is as fresh as the caller wants, and what the token may do is known. */
  async #ready(
    endpoint: QueryEndpoint,
    args: unknown,
    read: ReadOptions,
    token: string,
  ): Promise<Result<Reader, Failure>> {
    const ready = await this.#current(read)
    return ready.ok ? (this.#askers.now(endpoint, args, token) ?? this.#askers.enter(endpoint, args, token)) : ready
  }

  /** Undefined: the token that it reads for has changed since. */
  #find(endpoint: QueryEndpoint, args: unknown, reader: Reader): Result<Found, Failure> | undefined {
    const asker = this.#askers.admitted(endpoint, args, reader)
    if (asker?.ok !== true) return asker
    return ok(this.#seen.found(endpoint, args, this.#results.read(endpoint, args), asker.value))
  }

  #observed(endpoint: QueryEndpoint, args: unknown, minIndex: number, found: Found): ParkedRead | undefined {
    if (this.#observer.readParked === undefined) return undefined
    const store = this.#store
    const { asker, index, view } = found
    return {
      method: endpoint.method,
      args,
      accessor: asker.authorizer.accessor,
      minIndex,
      found: { at: store.index, index, value: view.value },
      now: () => {
        const evaluated = store.query((tx) => endpoint.query(tx, args, this.#context.release)).value
        return { at: store.index, ...this.#seen.anew(endpoint, args, asker, evaluated) }
      },
    }
  }

  #blockFor(read: ReadOptions): number {
    const waitMs = waitOf(read)
    return waitMs + this.#context.env.random.stream('blocking.jitter').fraction() * (waitMs / blockingJitterFraction)
  }

  /** Makes sure that this server's state is as fresh as the caller asked for. */
  async #current(read: ReadOptions): Promise<Result<unknown, Failure>> {
    if (read.consistency === 'stale' && this.#raft.hasCaughtUp()) return ok(undefined)
    const elsewhere = this.#leaderElsewhere()
    // Where nobody is known to lead, what it had when it was stopped is all there is: that it may be old is said with it.
    if (read.consistency === 'stale' && this.#raft.status().leader === undefined) return ok(undefined)
    if (elsewhere !== undefined) return err(elsewhere)
    const ready = await (read.consistency === 'consistent'
      ? this.#confirmed('readIndex')
      : this.#confirmed('leaseRead'))
    return ready.ok ? ready : err(this.#refused(ready.error))
  }

  #refused(refusal: RequestRefusal): Failure {
    return failureOfRefusal(refusal, (id) => this.#addressOf(id))
  }

  /**
   * Asked once for all reads that come to it in one turn, such as watchers that one change has woken. That is as good as
   * asking for each: each of them was under way before the turn began, and the answer holds for a moment after that.
   */
  #confirmed(how: 'readIndex' | 'leaseRead'): ReturnType<Raft['readIndex']> {
    const shared = this.#confirming.get(how)
    if (shared !== undefined) return shared
    const asked = this.#raft[how]()
    this.#confirming.set(how, asked)
    this.#context.env.detach(endOfTurn().then(() => this.#confirming.delete(how)))
    return asked
  }

  #addressOf(id: string): string | undefined {
    return this.#raft.status().configuration.servers.find((server) => server.id === id)?.address
  }

  #answer(endpoint: QueryEndpoint, args: unknown, found: Found): Served {
    return this.#served(endpoint, args, found, this.#meta(found.index))
  }

  #served(endpoint: QueryEndpoint, args: unknown, { result, asker, view }: Found, meta: ReadMeta): Served {
    this.#count(endpoint, args, result)
    const gate = this.#gate
    if (gate === undefined) return new Served(view, meta, result, this.#standingOf)
    const { authorizer, token } = asker
    return new Served(view, meta, result, (of, index) => {
      const { now } = this.#standingOf(of, index)
      return { now: () => (gate.isStill(endpoint, token, authorizer) ? now() : undefined) }
    })
  }

  #count(endpoint: QueryEndpoint, args: unknown, result: KeptResult): void {
    const { metrics } = this.#context.env
    metrics.count('rpc.query')
    for (const name of endpoint.counts?.(args, result.value) ?? []) metrics.count(name)
  }

  /**
   * A result that is kept stands until it goes. Any other stands until the next command: the state of one index is one state,
   * and of a state and arguments a query has one result.
   */
  readonly #standingOf = (result: KeptResult, index: number): Standing => {
    if (result.isWatched) return this.#standing(index, liveness(result.live))
    const at = result.touched.version.index
    return this.#standing(index, () => this.#store.index === at)
  }

  #standing(index: number, stands: () => boolean): Standing {
    return { now: () => (stands() ? this.#meta(index) : undefined) }
  }

  /** Of a server that has not caught up since it started: nobody that it has heard vouches for what it says. */
  #meta(index: number): ReadMeta {
    const status = this.#raft.status()
    if (status.role !== 'leader' && !this.#raft.hasCaughtUp()) return { index, knownLeader: false, lastContactMs: 0 }
    return {
      index,
      knownLeader: status.leader !== undefined,
      lastContactMs: status.role === 'leader' ? 0 : Math.round(status.lastContactMs ?? 0),
    }
  }
}

function liveness(live: LiveResult): () => boolean {
  return () => live.result?.isCurrent() === true
}

type DispatchObserver = Pick<AgentObserver, 'readParked'>

/** Settled behind everything that this turn has set going already. */
async function endOfTurn(): Promise<void> {
  await undefined
}

const notLeader: Failure = { kind: 'not-leader', leader: undefined }

/** Where access control is off. */
const free: Result<Authorizer, Failure> = ok(unrestricted)

const plainRead: ReadOptions = { consistency: 'default', minIndex: 0, waitMs: 0, maxStaleMs: 0, datacenter: '' }
