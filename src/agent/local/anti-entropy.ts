import { done, type Result } from '../../base/result.ts'
import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { nextTurn } from '../../features/contract/turns.ts'
import type { Failure } from '../../model/failure.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import { CatalogWrites } from './catalog-writes.ts'
import { compare } from './comparison.ts'
import { DueChanges } from './due-changes.ts'
import type { LocalState } from './local-state.ts'
import { NameHolder } from './name-holder.ts'
import { comparing } from './own-calls.ts'
import { isRefusal, OwnRefusals } from './own-refusals.ts'
import type { CatalogClient, OwnTokens } from './parts.ts'
import { SyncPace } from './sync-pace.ts'
import { UnseenItems } from './unseen.ts'

interface AntiEntropyParts {
  readonly env: Env
  readonly state: LocalState
  readonly catalog: CatalogClient
  readonly tokens: OwnTokens
  /** The service on a server that only the leader writes; undefined on a client. */
  readonly leaders: string | undefined
  /** Resolves rights of tokens; absent or undefined: access control is off. */
  readonly rights?: RegistrantRights | undefined
  nodeCount(): number
}

/**
 * Keeps the catalog's view of this agent true: syncs each change at once, and compares everything periodically. One
 * pass runs at a time; requests during a pass share the next one.
 */
export class AntiEntropy {
  readonly #parts: AntiEntropyParts
  readonly #refusals: OwnRefusals
  readonly #writes: CatalogWrites
  readonly #changes: DueChanges
  readonly #unseen: UnseenItems
  #next: Deferred<undefined> | undefined
  #running = false
  #fullDue = true
  #hasCompared = false
  /** Something has changed since changes were last sent. */
  #hasNews = false
  readonly #name: NameHolder
  #stopped = false
  readonly #pace: SyncPace

  constructor(parts: AntiEntropyParts) {
    this.#parts = parts
    this.#refusals = new OwnRefusals(parts.env, parts.rights)
    this.#writes = new CatalogWrites({ ...parts, refusals: this.#refusals })
    this.#changes = new DueChanges({ ...parts, writes: this.#writes })
    this.#unseen = new UnseenItems(parts.rights, () => parts.tokens.agent)
    this.#name = new NameHolder(parts.state.node)
    this.#pace = new SyncPace({
      env: parts.env,
      nodeCount: () => parts.nodeCount(),
      onFull: () => this.#passFull(),
      onRetry: () => parts.env.detach(this.#passSoon()),
    })
  }

  start(): void {
    this.#pace.scheduleFull()
  }

  stop(): void {
    this.#stopped = true
    this.#writes.close()
    this.#pace.stop()
    this.#next?.resolve(undefined)
    this.#next = undefined
  }

  /** Why this agent cannot be synced to the catalog; empty: nothing stands in the way. */
  get troubles(): readonly string[] {
    return this.#name.troubles
  }

  /** Schedules a full comparison soon. */
  trigger(): void {
    if (!this.#stopped) this.#pace.fullSoon()
  }

  /** Settles when every change made until now has been synced, or the sync has failed. */
  syncChanges(): Promise<undefined> {
    this.#hasNews = true
    return this.#passSoon()
  }

  #passSoon(): Promise<undefined> {
    const { env } = this.#parts
    this.#next ??= env.deferred<undefined>()
    env.batches?.woken(this)
    const { promise } = this.#next
    if (this.#stopped) {
      this.#next.resolve(undefined)
      this.#next = undefined
    } else if (!this.#running) env.detach(this.#runPasses())
    return promise
  }

  /** As `syncChanges`, without waiting. */
  changed(): void {
    this.#parts.env.detach(this.syncChanges())
  }

  async #runPasses(): Promise<void> {
    this.#running = true
    while (this.#next !== undefined && !this.#stopped) {
      // Changes that several callers make at the same time are synced in one pass.
      await nextTurn(this.#parts.env)
      const next = this.#next
      this.#next = undefined
      if (next === undefined || this.#stopped) break
      this.#parts.env.batches?.goesOn(this)
      const passed = await this.#pass()
      next.resolve(undefined)
      if (passed.ok) this.#pace.succeeded()
      else this.#failed(passed.error)
    }
    this.#running = false
  }

  async #pass(): Promise<Result<undefined, Failure>> {
    const compared = this.#fullDue ? await this.#compareAll() : done
    if (this.#stopped || !(compared.ok || this.#maySendUnseen(compared.error))) return compared
    this.#hasNews = false
    const sent = await this.#changes.send()
    if (sent.ok) return compared
    this.#hasNews = true
    return sent
  }

  /**
   * Whether changes are sent although the comparison failed: the agent's token may have been deleted while it ran, and
   * services have tokens of their own. What was refused for its own token is not sent again with each retry of the
   * comparison. Before the first comparison the name of the node may be another's.
   */
  #maySendUnseen(failure: Failure): boolean {
    return this.#hasCompared && this.#hasNews && isRefusal(failure)
  }

  async #compareAll(): Promise<Result<undefined, Failure>> {
    const { state, catalog, leaders, tokens } = this.#parts
    const { node } = state.node
    const dump = await catalog.dump(node)
    if (!dump.ok && isRefusal(dump.error)) await this.#refusals.refused(comparing(node, tokens), dump.error)
    if (!dump.ok) return dump
    this.#refusals.done('comparison')
    if (this.#stopped) return done
    const free = this.#name.compared(dump.value)
    if (!free.ok) return free
    const view = await this.#unseen.view()
    if (this.#stopped) return done
    state.compared(compare(state, dump.value, leaders, view))
    this.#fullDue = false
    this.#hasCompared = true
    this.#pace.scheduleFull()
    return done
  }

  #failed(failure: Failure): void {
    if (this.#stopped) return
    this.#writes.warn(failure)
    this.#pace.failed(failure)
  }

  #passFull(): void {
    this.#fullDue = true
    this.#parts.env.detach(this.#passSoon())
  }
}
