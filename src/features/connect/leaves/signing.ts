import type { Authorizer } from '../../../access/authorizer.ts'
import { err, type Result } from '../../../base/result.ts'
import type { Closable, Deferred } from '../../../env/async.ts'
import type { Failure } from '../../../model/failure.ts'
import { recordLeaves } from '../commands.ts'
import { leafExpiry, tooLittleLine, wholeSecond } from '../forecast.ts'
import { leavesAtOnce, requestsWaitingMax } from '../limits.ts'
import type { IssuedLeaf } from '../model.ts'
import { leafTtlMs, leavesPerSecondOf } from '../options.ts'
import type { AuthorityParts } from '../parts.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { authorityOf, chainOf, trustDomainOf } from '../views.ts'
import { type Recorded, signRecorded } from './leaves.ts'
import { outgrown, type RequestedLeaf, requestedLeaf } from './requested.ts'

interface Waiting {
  readonly wanted: RequestedLeaf
  readonly answer: Deferred<Result<IssuedLeaf, Failure>>
}

/** Leaves signed in one turn: a signature takes a good part of a millisecond, more with long keys. */
const signedInTurn = 8
/** Maximum number of times that a batch starts again because the root has changed. */
const attemptsMax = 4
/**
 * When the rate limit is reached, requests are gathered for this long: each command costs a disk write on all servers.
 */
const gatherMs = 100
/** Maximum wait of a request: its caller gives up after ten seconds. */
const waitMaxS = 5

const leadsNoMore: Failure = { kind: 'not-leader', leader: undefined }

/**
 * Signs leaves at a limited rate: requests wait in a queue, and are refused for now when it is full. Requests that wait
 * together share one command that records them (the argument is in commands.ts), and are signed after it has committed:
 * a leaf of a server that no longer leads is never handed out.
 */
export class Signing implements Closable {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  readonly #queue: Waiting[] = []
  /** Number of leaves that may be signed now. */
  #allowance: number
  #countedMs: number
  #draining = false
  /** Ends the pause that is under way. */
  #wake: () => void = () => undefined
  #closed = false

  constructor(parts: AuthorityParts, providers: OpenProviders) {
    this.#parts = parts
    this.#providers = providers
    this.#allowance = this.#perSecond()
    this.#countedMs = parts.server.env.clock.monoMs()
  }

  close(): void {
    this.#closed = true
    this.#wake()
    for (const { answer } of this.#queue.splice(0)) answer.resolve(err(leadsNoMore))
  }

  async sign(requestPem: string, authorizer: Authorizer): Promise<Result<IssuedLeaf, Failure>> {
    const { server } = this.#parts
    const { env, datacenter } = server
    if (this.#closed) return err(leadsNoMore)
    const trustDomain = trustDomainOf(server.read())
    if (trustDomain === '') return err({ kind: 'refused', message: 'the certificate authority has not started yet' })
    if (this.#queue.length >= Math.min(requestsWaitingMax, Math.max(1, this.#perSecond() * waitMaxS))) {
      env.metrics.count('connect.ca.leaf.refused')
      return err({
        kind: 'overloaded',
        message: 'too many certificate requests at present: try again later',
      })
    }
    const wanted = requestedLeaf(requestPem, { env, authorizer, trustDomain, datacenter })
    if (!wanted.ok) return wanted
    const answer = env.deferred<Result<IssuedLeaf, Failure>>()
    const waiting = { wanted: wanted.value, answer }
    this.#queue.push(waiting)
    env.batches?.waits(waiting)
    this.#go()
    return answer.promise
  }

  #go(): void {
    if (this.#draining || this.#closed || this.#queue.length === 0) return
    this.#draining = true
    this.#parts.server.env.detach(this.#drain())
  }

  /** Whatever is thrown, no caller is left waiting, and the next requests are served. */
  async #drain(): Promise<void> {
    try {
      while (!this.#closed && this.#queue.length > 0) await this.#next()
    } finally {
      this.#draining = false
      this.#go()
    }
  }

  async #next(): Promise<void> {
    const batch = this.#queue.splice(0, Math.min(leavesAtOnce, this.#allowed()))
    if (batch.length === 0) return this.#pause(Math.max(gatherMs, 1000 / this.#perSecond()))
    this.#allowance = Math.max(0, this.#allowance - batch.length)
    this.#parts.server.env.batches?.together(batch)
    try {
      await this.#signBatch(batch)
    } finally {
      // Callers that already have their leaf are not affected.
      const failure: Failure = { kind: 'refused', message: 'the provider has failed' }
      for (const { answer } of batch) answer.resolve(err(failure))
    }
  }

  #allowed(): number {
    const nowMs = this.#parts.server.env.clock.monoMs()
    const rate = this.#perSecond()
    const sinceS = (nowMs - this.#countedMs) / 1000
    this.#countedMs = nowMs
    if (rate === Number.POSITIVE_INFINITY) return leavesAtOnce
    this.#allowance = Math.min(rate, this.#allowance + sinceS * rate)
    return Math.floor(this.#allowance)
  }

  /** The rate limit of the present configuration. */
  #perSecond(): number {
    const { server, leavesPerSecond } = this.#parts
    return leavesPerSecondOf(authorityOf(server.read())?.options ?? {}, leavesPerSecond)
  }

  async #pause(ms: number): Promise<void> {
    const { env } = this.#parts.server
    const over = env.deferred<void>()
    const timer = env.timers.after(ms, () => over.resolve())
    this.#wake = () => over.resolve()
    await over.promise
    timer.close()
  }

  async #signBatch(batch: readonly Waiting[]): Promise<void> {
    const recorded = await this.#record(batch.length)
    if (!recorded.ok) {
      this.#parts.server.env.metrics.count('connect.ca.leaf.refused', batch.length)
      for (const { answer } of batch) answer.resolve(recorded)
      return
    }
    const { first, ...common } = recorded.value
    for (let at = 0; at < batch.length; at += signedInTurn) {
      if (at > 0) await this.#pause(0)
      if (this.#closed) for (const { answer } of batch.slice(at)) answer.resolve(err(leadsNoMore))
      if (this.#closed) return
      const some = batch.slice(at, at + signedInTurn)
      await Promise.all(
        some.map(async ({ wanted, answer }, offset) => {
          const serial = String(first + BigInt(at + offset))
          const refused = outgrown(wanted, common.signer.authority.trustDomain)
          answer.resolve(refused ?? (await signRecorded(this.#parts, common, wanted, serial)))
        }),
      )
    }
  }

  /** The root that signs the batch, which is active when its command is applied. */
  async #record(count: number): Promise<Result<Recorded & { readonly first: bigint }, Failure>> {
    const { server, skewMs, leafTtlMinMs } = this.#parts
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const tx = server.read()
      const signer = await this.#providers.active(tx)
      if (!signer.ok) return err({ kind: 'refused', message: signer.error.message })
      const { root, authority } = signer.value
      const nowMs = server.env.clock.wallMs()
      const chain = chainOf(tx, root, nowMs, this.#parts)
      const expiresMs = leafExpiry(tx, root, { nowMs, skewMs, leafTtlMinMs, ttlMs: leafTtlMs(authority.options) })
      if (expiresMs === 0) return err({ kind: 'refused', message: tooLittleLine(chain.endMs, authority) })
      const body = { rootId: root.id, datacenter: server.datacenter, count, expiresMs }
      const recorded = await server.propose(recordLeaves, body)
      if (!recorded.ok) return recorded
      if (recorded.value === null) continue
      const notBeforeMs = wholeSecond(nowMs - skewMs)
      return {
        ok: true,
        value: { signer: signer.value, chain, notBeforeMs, expiresMs, first: BigInt(recorded.value.first) },
      }
    }
    return err({ kind: 'refused', message: 'the root keeps changing' })
  }
}
