import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { denied } from '../../features/contract/access.ts'
import type { CallOptions, Freshness } from '../../features/contract/call.ts'
import type { IssuedLeaf, LeafAnswer, MeshLeaves } from '../../features/contract/mesh.ts'
import { meshSpellings } from '../../features/contract/names.ts'
import type { Failure } from '../../model/failure.ts'
import { blockingWaitDefaultMs, blockingWaitMaxMs } from '../../model/limits.ts'
import { type ModifyIndex, modifyIndexOf } from '../../model/log-position.ts'
import { KeptLeaf } from './kept-leaf.ts'
import { cacheName, isRefusal, type LeafSource } from './leaf-source.ts'
import { RootsWatch, type Turn } from './roots-watch.ts'

/**
 * Maximum number of leaves; a new one evicts the leaf that was not requested for the longest time and for which no
 * caller waits.
 */
export const leavesMax = 1_024

export interface LeavesOptions {
  readonly env: Env
  readonly source: LeafSource
  /** The secret that a call uses. */
  readonly tokenOf: (call: CallOptions) => string
  /** The rights of a call's token, as far as this agent knows them; undefined where access control is off. */
  readonly rightsOf: ((call: CallOptions) => Promise<Result<Authorizer, Failure>>) | undefined
}

/** The failure of callers that waited for a leaf which another one displaced. */
const tooMany: Failure = { kind: 'overloaded', message: `more than ${leavesMax} requests wait for leaf certificates` }

type Wait = Parameters<MeshLeaves['leaf']>[1]

/**
 * The leaves of the services on one agent: for each service and token a key and a certificate, renewed before it
 * expires and when another root signs. The key is generated here, and is handed out only with its leaf.
 *
 * After a rotation leaves are replaced over a time that grows with the number of agents, so that the servers do not get
 * all requests at once. The old leaves stay valid until they expire, because no root is removed before its leaves have
 * expired. A new caller meanwhile gets a leaf of the new root: an operator that rotates because a key was lost wants
 * the old root out of use. A caller that waits for the next leaf is answered when it is issued.
 */
export class Leaves implements MeshLeaves {
  readonly #options: LeavesOptions
  readonly #roots: RootsWatch
  /** In order of the last request, the oldest first. */
  readonly #kept = new Map<string, KeptLeaf>()
  #lastIndex: ModifyIndex
  #stopped = false

  constructor(options: LeavesOptions) {
    this.#options = options
    // Clients of the field take no answer whose index they know. Counted from the servers' index, that of the first leaf
    // would be the same after each start of the agent, and they would keep the leaf from before until it had expired.
    this.#lastIndex = modifyIndexOf(Math.max(0, Math.floor(options.env.clock.wallMs() / 1000)))
    this.#roots = new RootsWatch({
      env: options.env,
      source: options.source,
      wanted: () => this.#kept.size > 0,
      onChange: (turn) => this.#rootsChanged(turn),
    })
  }

  get size(): number {
    return this.#kept.size
  }

  held(): readonly IssuedLeaf[] {
    return [...this.#kept.values()].flatMap(({ held }) => (held === undefined ? [] : [held.held.leaf]))
  }

  stop(): void {
    this.#stopped = true
    this.#roots.stop()
    for (const kept of this.#kept.values()) kept.stop()
    this.#kept.clear()
  }

  async leaf(
    service: string,
    wait: Wait,
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<LeafAnswer, Failure>> {
    const token = this.#options.tokenOf(options)
    const key = JSON.stringify([service, token])
    const allowed = await this.#allowed(service, options)
    if (!allowed.ok) {
      if (isRefusal(allowed.error)) this.#drop(key, allowed.error)
      return allowed
    }
    if (this.#stopped) return err({ kind: 'shutting-down' })
    const opened = this.#askedFor(key, service, token)
    if (!opened.ok) return opened
    const kept = opened.value
    const indexBefore = kept.held?.index
    const known = indexBefore !== undefined
    const { metrics } = this.#options.env
    metrics.count(`${cacheName}.${known ? (indexBefore === wait.minIndex ? 'miss_block' : 'hit') : 'miss_new'}`)
    metrics.gauge('connect.leaf.kept', this.#kept.size)
    const ready = await this.#ready(kept, wait, freshness, options)
    if (!ready.ok) {
      if (kept.held === undefined && !kept.busy) this.#forget(key, kept)
      return ready
    }
    const { held } = kept
    if (held === undefined) return err(kept.refusal ?? { kind: 'shutting-down' })
    const isAnother = freshness.revalidate && held.index !== indexBefore
    return ok({ ...held, hit: known && !isAnother, ageMs: this.#roots.ageMs() })
  }

  /** Waits until there is a leaf that satisfies this caller. */
  async #ready(
    kept: KeptLeaf,
    { minIndex, waitMs }: Wait,
    { revalidate }: Freshness,
    options: CallOptions,
  ): Promise<Result<undefined, Failure>> {
    const { held } = kept
    if (held === undefined) return kept.issue()
    // The caller's index is greater than ours if this agent gave it before a restart: the caller has an older leaf,
    // too.
    const waits = minIndex === held.index && !revalidate
    if (!kept.spent && waits) {
      await kept.next(waitMs === 0 ? blockingWaitDefaultMs : Math.min(waitMs, blockingWaitMaxMs), options)
      // The caller's rights may have been narrowed meanwhile.
      return this.#allowed(kept.service, options)
    }
    const wantsAnother = kept.outdated || (revalidate && !kept.justIssued)
    if (!kept.spent && (!wantsAnother || kept.resting)) return ok(undefined)
    const issued = await kept.issue()
    if (issued.ok || isRefusal(issued.error)) return issued
    return kept.held === undefined || kept.spent ? issued : ok(undefined)
  }

  async #allowed(service: string, options: CallOptions): Promise<Result<undefined, Failure>> {
    const { env, rightsOf } = this.#options
    const rights = await rightsOf?.(options)
    if (rights === undefined) return ok(undefined)
    if (!rights.ok) return rights
    const refused = meshSpellings(service).find((name) => !rights.value.allows('service', name, 'write'))
    if (refused === undefined) return ok(undefined)
    return err(denied(env, rights.value, { resource: 'service', name: refused, right: 'write' }, 'this agent'))
  }

  #askedFor(key: string, service: string, token: string): Result<KeptLeaf, Failure> {
    const known = this.#kept.get(key)
    const kept = known ?? (this.#hasRoom() ? this.#open(key, service, token) : undefined)
    if (kept === undefined) return err(tooMany)
    kept.lastAskedMs = this.#options.env.clock.monoMs()
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return ok(kept)
  }

  #hasRoom(): boolean {
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size < leavesMax) break
      if (!kept.busy) this.#drop(oldest, tooMany)
    }
    return this.#kept.size < leavesMax
  }

  #open(key: string, service: string, token: string): KeptLeaf {
    const { env, source } = this.#options
    const kept: KeptLeaf = new KeptLeaf({
      env,
      source,
      roots: this.#roots,
      service,
      token,
      indexOf: ({ modifyIndex }) => {
        this.#lastIndex = modifyIndexOf(Math.max(this.#lastIndex + 1, modifyIndex))
        return this.#lastIndex
      },
      onEnd: () => this.#forget(key, kept),
    })
    return kept
  }

  #drop(key: string, why?: Failure): void {
    this.#kept.get(key)?.stop(why)
    this.#kept.delete(key)
  }

  #forget(key: string, kept: KeptLeaf): void {
    if (this.#kept.get(key) === kept) this.#drop(key)
  }

  #rootsChanged(turn: Turn): void {
    const kept = [...this.#kept.values()]
    if (turn !== undefined) {
      const text = turn === 'another root' ? 'the active root has changed' : 'the mesh has another trust domain'
      const fields = { leaves: kept.length }
      this.#options.env.log.write('info', 'connect', `${text}: leaf certificates are replaced`, fields)
    }
    const lost = kept.filter((each) => each.lost).length
    const lostText =
      'the root of the kept leaf certificates is no longer trusted, for example after the restore of an older snapshot: they are replaced'
    if (lost > 0) this.#options.env.log.write('warn', 'connect', lostText, { leaves: lost })
    for (const each of kept) each.rootsChanged()
  }
}
