import { type Authorizer, unrestricted } from '../../../access/authorizer.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from '../../../features/contract/endpoint.ts'
import { readBy } from '../../../features/contract/fields.ts'
import type { Answer, ReadOptions } from '../../../features/contract/reading.ts'
import type { ServedEndpoint, ServerContext } from '../../../features/contract/server-context.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'
import type { Store } from '../../../store/store.ts'
import { Askers, type Reader } from '../../access/askers.ts'
import type { Gate } from '../../access/gate.ts'
import type { AgentObserver, ParkedRead } from '../../boot/observer.ts'
import { drawnWaitMs, type EndpointRequest, freshRead } from '../request.ts'
import { Answers } from './answers.ts'
import { Freshness } from './freshness.ts'
import { KeptResults } from './kept-results.ts'
import { type Caller, Leaving, ParkedReads } from './parked-reads.ts'
import { type Found, SeenResults, type Served } from './seen-results.ts'

/**
 * Serves all endpoints of one server, whether the request came from this agent's own HTTP interface or from another
 * agent.
 */
export class Dispatch {
  readonly #context: ServerContext
  readonly #endpoints: ReadonlyMap<string, ServedEndpoint>
  readonly #results: KeptResults
  readonly #store: Store
  readonly #observer: DispatchObserver
  /** Undefined: access control is off, and every call is allowed. */
  readonly #gate: Gate | undefined
  readonly #askers: Askers
  readonly #parked: ParkedReads
  readonly #seen: SeenResults
  readonly #freshness: Freshness
  readonly #answers: Answers

  constructor(
    context: ServerContext,
    store: Store,
    endpoints: readonly ServedEndpoint[],
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
    this.#freshness = new Freshness(context)
    this.#answers = new Answers({ env: context.env, store, gate, freshness: this.#freshness })
    this.#parked = new ParkedReads(context, store, gate)
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.method, endpoint]))
  }

  /** Ends the parked reads; no read is parked from here on. */
  stop(): void {
    this.#parked.stop()
  }

  endpoint(method: string): ServedEndpoint | undefined {
    return this.#endpoints.get(method)
  }

  /** Serves a request here, or names the leader, to which the caller forwards the request. */
  async serve(method: string, request: EndpointRequest, caller: Caller): Promise<Result<unknown, Failure>> {
    const { metrics } = this.#context.env
    const endpoint = this.#endpoints.get(method)
    const args = endpoint === undefined ? undefined : readBy(endpoint.args, request.args)
    if (endpoint === undefined || args?.ok !== true) {
      metrics.count('rpc.request_error')
      if (endpoint === undefined) return err({ kind: 'unknown-method', method })
      return err({ kind: 'bad-request', message: `${method}: malformed arguments` })
    }
    metrics.count('rpc.request')
    switch (endpoint.kind) {
      case 'write':
        return this.#write(endpoint, args.value, request)
      case 'query':
        return this.#query(endpoint, args.value, request.read ?? freshRead, caller, request.token ?? '')
      case 'server':
        return this.#ask(endpoint, args.value, request)
    }
  }

  /**
   * Answers a non-blocking read of this agent's own if the state is known to be fresh enough; undefined if it is not.
   * The arguments have the endpoint's type already: those from other agents are checked in `serve`.
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
    if (!this.#freshness.isReached(read)) return undefined
    const asking = this.#askers.now(endpoint, args, token)
    if (asking === undefined || !asking.ok) return asking
    const found = this.#find(endpoint, args, asking.value)
    if (found === undefined || !found.ok) return found
    const { index } = found.value
    const meta = isStale ? this.#freshness.meta(index) : { index, knownLeader: true, lastContactMs: 0 }
    return ok(this.#answers.of(endpoint, args, found.value, meta))
  }

  async #write(
    endpoint: WriteEndpoint<unknown, unknown, ServerContext>,
    args: unknown,
    request: EndpointRequest,
  ): Promise<Result<unknown, Failure>> {
    const elsewhere = this.#freshness.leaderElsewhere()
    if (elsewhere !== undefined) return err(elsewhere)
    const { identity } = request
    let before: Result<unknown, Failure> | undefined
    if (this.#gate !== undefined && endpoint.repeated !== undefined && identity !== undefined) {
      const settled = await this.#freshness.settled()
      if (!settled.ok) return settled
      before = endpoint.repeated(this.#context, args, identity)
      if (before?.ok === true) return before
    }
    const entered = await this.#enter(endpoint, args, request)
    return entered.ok ? endpoint.serve(this.#context, args, identity, entered.value) : (before ?? entered)
  }

  async #ask(
    endpoint: ServerEndpoint<unknown, unknown, ServerContext>,
    args: unknown,
    request: EndpointRequest,
  ): Promise<Result<unknown, Failure>> {
    const elsewhere =
      endpoint.leader && request.read?.consistency !== 'stale' ? this.#freshness.leaderElsewhere() : undefined
    if (elsewhere !== undefined) return err(elsewhere)
    const entered = await this.#enter(endpoint, args, request)
    return entered.ok ? endpoint.serve(this.#context, args, entered.value) : entered
  }

  /** Resolves the token of a request; fails if its rights do not suffice, or it does not exist. */
  async #enter(
    endpoint: WriteEndpoint | ServerEndpoint,
    args: unknown,
    { token = '' }: EndpointRequest,
  ): Promise<Result<Authorizer, Failure>> {
    if (this.#gate === undefined) return ok(unrestricted)
    const settled = await this.#freshness.settled()
    if (!settled.ok) return settled
    const entered = await this.#gate.enter(endpoint, token)
    if (!entered.ok) return entered
    const refusal = this.#gate.refusal(endpoint, entered.value, args, this.#store.live)
    return refusal === undefined ? entered : err(refusal)
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
        if (found !== undefined) return found.ok ? ok(this.#answers.of(endpoint, args, found.value)) : found
      }
    }
    const deadlineMs = this.#context.env.clock.monoMs() + drawnWaitMs(this.#context.env, 'served', read)
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
        return ok(this.#answers.of(endpoint, args, found.value))
      }
      // The caller's index may be of a later state than this server's.
      if (before === undefined || beforeAt < read.minIndex) {
        before = found.value
        beforeAt = this.#store.index
      }
      if (observed === undefined || observed.found.at < read.minIndex) {
        observed = this.#observed(endpoint, args, read.minIndex, found.value)
      }
      const over = observed === undefined ? undefined : this.#observer.readParked?.(observed)
      const woken = await this.#parked.park(endpoint, asker, {
        wait: (told) => this.#results.wait(result, told),
        told: over,
        waitMs: leftMs,
        read,
        caller: leaving,
      })
      over?.()
      if (!woken.ok) return woken
    }
  }

  /** Waits until this server's state is as fresh as the caller demands, and the token's rights are known. */
  async #ready(
    endpoint: QueryEndpoint,
    args: unknown,
    read: ReadOptions,
    token: string,
  ): Promise<Result<Reader, Failure>> {
    const ready = await this.#freshness.reached(read)
    return ready.ok ? (this.#askers.now(endpoint, args, token) ?? this.#askers.enter(endpoint, args, token)) : ready
  }

  /** Undefined: the rights of the token that it reads for have changed meanwhile. */
  #find(endpoint: QueryEndpoint, args: unknown, reader: Reader): Result<Found, Failure> | undefined {
    const asker = this.#askers.admitted(endpoint, args, reader)
    if (asker?.ok !== true) return asker
    return ok(this.#seen.found(endpoint, args, this.#results.read(endpoint, args), asker.value))
  }

  #observed(endpoint: QueryEndpoint, args: unknown, minIndex: ModifyIndex, found: Found): ParkedRead | undefined {
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
}

type DispatchObserver = Pick<AgentObserver, 'readParked'>
