import { lowerAscii } from '../../base/letter-case.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { IssuedLeaf, RootsList } from '../../features/connect/model.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { Hurry } from '../requests/asking/hurry.ts'
import type { LeafSource, RootsView } from './leaf-source.ts'
import { retryInMs } from './renewal.ts'

export interface RootsWatchOptions {
  readonly env: Env
  readonly source: Pick<LeafSource, 'roots'>
  /** Whether any caller needs the roots to be followed. */
  readonly wanted: () => boolean
  readonly onChange: (turn: Turn) => void
}

/** What every new leaf has from now on; undefined: root and trust domain are as before. */
export type Turn = 'another root' | 'another trust domain' | undefined

/** The roots as this agent knows them, followed by a blocking read for as long as it has leaves. */
export class RootsWatch {
  readonly #options: RootsWatchOptions
  #view: RootsView | undefined
  #asking: Promise<Result<RootsView, Failure>> | undefined
  #following = false
  #stopped = false
  /** Ends the read or the pause that is under way. */
  #interrupt: (() => void) | undefined
  /** Since when they may have changed unnoticed; undefined while a read is under way. */
  #inDoubtSinceMs: number | undefined

  constructor(options: RootsWatchOptions) {
    this.#options = options
  }

  /**
   * The present roots. The first read goes to the leader: a lagging server may not know of a mesh that has just begun.
   */
  async list(): Promise<Result<RootsList, Failure>> {
    if (this.#following && this.#view !== undefined) return ok(this.#view.list)
    this.#asking ??= this.#ask()
    const asked = await this.#asking
    return asked.ok ? ok(asked.value.list) : asked
  }

  /** For how long the known roots may have been out of date. */
  ageMs(): number {
    return this.#inDoubtSinceMs === undefined ? 0 : this.#options.env.clock.monoMs() - this.#inDoubtSinceMs
  }

  /**
   * `outdated`: another root signs now, or in the name of another trust domain: new servers, or a datacenter that is
   * joined, may have been given the same root. `lost`: the root of this leaf is not listed, although the list is not
   * older than the leaf, because an earlier snapshot was restored. `unheard`: root or trust domain are not listed yet,
   * or never will be in a new cluster, which begins at a lower index.
   */
  standingOf({ rootId, serviceUri, modifyIndex }: Judged): Standing {
    if (this.#view === undefined) return 'current'
    const { list, index } = this.#view
    if (list.activeRootId === '') return 'current'
    const isUnheard = index < modifyIndex
    if (list.activeRootId === rootId) {
      if (isNameIn(list.trustDomain, serviceUri)) return 'current'
      return isUnheard ? 'unheard' : 'outdated'
    }
    if (list.roots.some(({ id }) => id === rootId)) return 'outdated'
    return isUnheard ? 'unheard' : 'lost'
  }

  stop(): void {
    this.#stopped = true
    this.#interrupt?.()
  }

  async #ask(): Promise<Result<RootsView, Failure>> {
    const asked = await this.#options.source.roots(noChange, this.#abort)
    this.#asking = undefined
    if (asked.ok && !this.#stopped) {
      this.#take(asked.value)
      this.#follow()
    }
    return asked
  }

  #follow(): void {
    if (this.#following) return
    this.#following = true
    this.#options.env.detach(this.#keepFresh())
  }

  async #keepFresh(): Promise<void> {
    const { env, source, wanted } = this.#options
    const hurry = new Hurry()
    let failures = 0
    while (!this.#stopped && wanted()) {
      const sinceMs = env.clock.monoMs()
      // Servers that were away may come back as a new cluster, whose indexes are lower.
      const minIndex = failures > 0 ? noChange : (this.#view?.index ?? noChange)
      const next = await source.roots(minIndex, this.#abort)
      if (this.#stopped) break
      if (next.ok) {
        failures = 0
        this.#inDoubtSinceMs = undefined
        this.#take(next.value)
        const nowMs = env.clock.monoMs()
        const pauseMs = hurry.pauseAfter(minIndex, next.value.index, nowMs - sinceMs)
        if (pauseMs === 0) continue
        this.#inDoubtSinceMs = nowMs
        await this.#pause(pauseMs)
        continue
      }
      failures += 1
      this.#inDoubtSinceMs ??= sinceMs
      await this.#pause(retryInMs(env.random.draws('mesh.roots', failures), failures))
    }
    this.#following = false
  }

  #take(view: RootsView): void {
    const before = this.#view?.list
    // The index is lower after a restore: accept it as it is.
    this.#view = view
    if (before !== undefined) this.#options.onChange(turnOf(before, view.list))
  }

  readonly #abort = (use: () => void): void => {
    this.#interrupt = use
    if (this.#stopped) use()
  }

  #pause(pauseMs: number): Promise<void> {
    const { env } = this.#options
    const deferred = env.deferred<void>()
    const timer = env.timers.after(pauseMs, () => deferred.resolve())
    this.#interrupt = () => {
      timer.close()
      deferred.resolve()
    }
    return deferred.promise
  }
}

export type Standing = 'current' | 'outdated' | 'lost' | 'unheard'

type Judged = Pick<IssuedLeaf, 'rootId' | 'serviceUri' | 'modifyIndex'>

function isNameIn(trustDomain: string, serviceUri: string): boolean {
  return lowerAscii(serviceUri).startsWith(`spiffe://${lowerAscii(trustDomain)}/`)
}

function turnOf(before: RootsList, after: RootsList): Turn {
  if (before.activeRootId !== after.activeRootId) return 'another root'
  return before.trustDomain === after.trustDomain ? undefined : 'another trust domain'
}
