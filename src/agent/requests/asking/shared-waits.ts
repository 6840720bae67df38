import { invariant } from '../../../base/invariant.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { CallOptions } from '../../../features/contract/call.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Answer, Positions, ReadOptions, ResultForms, SelectedPart } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import { blockingWaitMaxMs } from '../../../model/limits.ts'
import { noChange } from '../../../model/log-position.ts'
import { drawnWaitMs } from '../request.ts'
import { Hurry } from './hurry.ts'

type Ask<Reply> = (read: ReadOptions, options: CallOptions) => Promise<Result<Answer<Reply>, Failure>>

/** What the members of a group learn: that the result changed, a failure, or no change within the wait. */
type News<Reply> = Result<Answer<Reply>, Failure> | 'time-over' | 'left'

interface Member<Reply> {
  tell(news: News<Reply>): void
}

interface Group<Reply = unknown> {
  /** The method of the endpoint, which decides the type of the replies. */
  readonly method: string
  readonly members: Set<Member<Reply>>
  /** Ends the request that is under way. */
  leave: (() => void) | undefined
}

/**
 * Shares blocking reads that another agent must answer: one request is sent for all callers that wait for the same
 * result. Its answer only signals a change; each member gets a result that was requested after the signal, unless it
 * asked with `stale`:
 * 1. The answer to the blocking request may have been made before a late member joined the group, and have been in
 *    flight since. A write acknowledged in between would be missing from it.
 * 2. So one more request fetches the current result. It starts when the signal arrives, which is later than the arrival
 *    of every member.
 */
export class SharedWaits {
  readonly #env: Env
  readonly #groups = new Map<string, Group>()
  #stopped = false

  constructor(env: Env) {
    this.#env = env
  }

  /** Number of waiting groups, bounded by the number of blocking reads. */
  get groups(): number {
    return this.#groups.size
  }

  /** Ends the waits under way and all later ones, and the requests that were sent for them. */
  stop(): void {
    this.#stopped = true
    for (const { members } of [...this.#groups.values()])
      for (const member of [...members]) member.tell(err({ kind: 'shutting-down' }))
  }

  async wait<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    ask: Ask<Reply>,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>> {
    if (this.#stopped) return err({ kind: 'shutting-down' })
    const { consistency, minIndex, maxStaleMs, datacenter } = read
    const { token = '' } = options
    // A result filtered for one token must not reach another.
    const key = JSON.stringify([endpoint.method, args, consistency, minIndex, maxStaleMs, datacenter, token])
    const news = await this.#join(endpoint, key, read, ask, options)
    if (news === 'left') return { ok: false, error: { kind: 'cancelled' } }
    return news === 'time-over' ? ask({ ...read, minIndex: noChange, waitMs: 0 }, options) : news
  }

  #join<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    key: string,
    read: ReadOptions,
    ask: Ask<Reply>,
    options: CallOptions,
  ): Promise<News<Reply>> {
    const deferred = this.#env.deferred<News<Reply>>()
    const waiting = this.#groups.get(key)
    invariant(waiting === undefined || isGroupOf(endpoint, waiting), 'a key of groups names the endpoint')
    const group = waiting ?? { method: endpoint.method, members: new Set<Member<Reply>>(), leave: undefined }
    const member: Member<Reply> = {
      tell: (news) => {
        timer.close()
        group.members.delete(member)
        deferred.resolve(news)
        if (group.members.size > 0) return
        this.#forget(key, group)
        group.leave?.()
      },
    }
    const timer = this.#env.timers.after(drawnWaitMs(this.#env, 'shared', read), () => member.tell('time-over'))
    group.members.add(member)
    options.onAbort?.(() => {
      if (group.members.has(member)) member.tell('left')
    })
    if (waiting === undefined) {
      this.#groups.set(key, group)
      this.#env.detach(this.#follow(key, group, read, ask))
    }
    return deferred.promise
  }

  async #follow<Reply>(key: string, group: Group<Reply>, read: ReadOptions, ask: Ask<Reply>): Promise<void> {
    const leaving: CallOptions = {
      onAbort: (use) => {
        group.leave = use
        if (group.members.size === 0) use()
      },
    }
    const hurry = new Hurry()
    let news: Result<Answer<Reply>, Failure>
    for (;;) {
      const askedMs = this.#env.clock.monoMs()
      news = await ask({ ...read, waitMs: blockingWaitMaxMs }, leaving)
      // Nothing changed within the longest wait: members that came late wait on.
      if (!news.ok || news.value.meta.index > read.minIndex || group.members.size === 0) break
      const pauseMs = hurry.pauseAfter(read.minIndex, news.value.meta.index, this.#env.clock.monoMs() - askedMs)
      if (pauseMs > 0) await this.#pause(group, pauseMs)
      if (group.members.size === 0) break
    }
    // Callers that arrive from here on wait for a later change.
    this.#forget(key, group)
    if (group.members.size === 0) return
    const told =
      news.ok && read.consistency !== 'stale' ? await ask({ ...read, minIndex: noChange, waitMs: 0 }, {}) : news
    const shared = told.ok ? ok(shareable(told.value)) : told
    for (const member of [...group.members]) member.tell(shared)
  }

  /** Ends early when the last member leaves. */
  #pause<Reply>(group: Group<Reply>, pauseMs: number): Promise<void> {
    const over = this.#env.deferred<void>()
    const timer = this.#env.timers.after(pauseMs, () => over.resolve())
    group.leave = () => {
      timer.close()
      over.resolve()
    }
    return over.promise
  }

  #forget<Reply>(key: string, group: Group<Reply>): void {
    if (this.#groups.get(key) === group) this.#groups.delete(key)
  }
}

function isGroupOf<Args, Reply>({ method }: QueryEndpoint<Args, Reply>, group: Group): group is Group<Reply> {
  return group.method === method
}

/**
 * An answer of another agent gets encoded forms that the members of the group share. An answer that this agent has made
 * has forms already: the agent has become the leader since the members began to wait.
 */
function shareable<Reply>(answer: Answer<Reply>): Answer<Reply> {
  if (answer.forms !== undefined) return answer
  const { value, meta } = answer
  return { value, meta, forms: new SharedForms() }
}

/** Lives as long as the answer is being sent to the members. */
class SharedForms implements ResultForms {
  readonly #made = new Map<string, Uint8Array>()
  /** At most one for each member. */
  readonly #selected = new Map<string, Promise<Result<SelectedPart, Failure>>>()

  bytesOf(form: string, make: () => Uint8Array): Uint8Array {
    const made = this.#made.get(form) ?? make()
    this.#made.set(form, made)
    return made
  }

  selected(
    selection: string,
    select: () => Promise<Result<Positions, Failure>>,
  ): Promise<Result<SelectedPart, Failure>> {
    const part = this.#selected.get(selection) ?? this.#select(selection, select)
    this.#selected.set(selection, part)
    return part
  }

  async #select(
    selection: string,
    select: () => Promise<Result<Positions, Failure>>,
  ): Promise<Result<SelectedPart, Failure>> {
    const selected = await select()
    if (!selected.ok) return selected
    const bytesOf = (form: string, make: () => Uint8Array) => this.bytesOf(`${form} ${selection}`, make)
    return ok({ positions: selected.value, bytesOf })
  }
}

interface WatcherBounds {
  /** Maximum number of blocking reads under way on one agent. */
  readonly max: number
  /** Maximum for one client: below the limit of HTTP connections, so that one client cannot keep the others out. */
  readonly ofClientMax: number
}

const watcherBounds: WatcherBounds = { max: 65_536, ofClientMax: 6_144 }

/** Counts the blocking reads that clients of one agent have under way. A client is known by its address. */
export class Watchers {
  readonly #bounds: WatcherBounds
  readonly #ofClients = new Map<string, number>()
  #count = 0

  constructor(bounds: WatcherBounds = watcherBounds) {
    this.#bounds = bounds
  }

  begin(client: string): Result<undefined, Failure> {
    const own = this.#ofClients.get(client) ?? 0
    if (own >= this.#bounds.ofClientMax) return refused('from this client', this.#bounds.ofClientMax)
    if (this.#count >= this.#bounds.max) return refused('on this agent', this.#bounds.max)
    this.#ofClients.set(client, own + 1)
    this.#count++
    return ok(undefined)
  }

  end(client: string): void {
    const own = this.#ofClients.get(client) ?? 0
    this.#count--
    if (own <= 1) this.#ofClients.delete(client)
    else this.#ofClients.set(client, own - 1)
  }
}

function refused(where: string, max: number): Result<never, Failure> {
  return err({ kind: 'overloaded', message: `too many blocking queries ${where}: at most ${max} at a time` })
}
