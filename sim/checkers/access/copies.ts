import { roundWaitMs } from '../../../src/features/acl/replication/asking-primary.ts'
import { pauseMaxMs, pauseMs } from '../../../src/features/acl/replication/replication-duty.ts'
import type { Judge } from '../checker.ts'
import type { TokenState } from './access-facts.ts'
import type { AccessPlace } from './access-federation.ts'
import { sameRules, tokenName, type Version } from './access-versions.ts'

/** Duration of a round besides its pauses: a few requests over the WAN, and two writes. */
const roundMs = 4_000
/** A blocking read adds up to this part of its wait, as jitter: one sixteenth. */
const jitterShare = 16
/** Time limit from a change in the primary to its copy, if the last round succeeded and nothing was disturbed since. */
const copiedUs = (pauseMs + roundMs) * 1000
/**
 * The same limit after a disturbance: one read that hangs, the longest pause, and the time in which agents reconnect.
 */
const copiedAfterTroubleUs = (roundWaitMs * (1 + 1 / jitterShare) + pauseMaxMs + 15_000) * 1000

export type CopyExcuses = { readonly A5: 'refused to copy' | 'stale default reads' | 'denies when down' }

/** Tokens or policies: how those of a secondary datacenter relate to those of the primary. */
interface Kind<T> {
  readonly what: string
  versionsOf(place: AccessPlace): ReadonlyMap<string, readonly Version<T>[]>
  isSame(own: T, theirs: T): boolean
  /** Whether it exists in this datacenter alone. */
  isLocal(value: T): boolean
  /** Whether it is copied unchanged: in the old mode, legacy tokens; in the new one, tokens with an accessor. */
  isCopied(value: T, isNew: boolean): boolean
  nameOf(id: string, value: T): string
}

export const policyKind: Kind<string> = {
  what: 'policy',
  versionsOf: ({ versions }) => versions.policies,
  isSame: (own, theirs) => own === theirs,
  isLocal: () => false,
  isCopied: (_, isNew) => isNew,
  nameOf: (id) => `policy ${id}`,
}

/** A copy may lack the accessor while the token had none when it was copied. */
export const tokenKind: Kind<TokenState> = {
  what: 'token',
  versionsOf: ({ versions }) => versions.tokens,
  isSame: (own, theirs) => (own.accessor === '' || own.accessor === theirs.accessor) && sameRules(own, theirs),
  isLocal: ({ isLocal }) => isLocal,
  isCopied: ({ isLocal, accessor, management, legacyRules }, isNew) =>
    isNew ? !isLocal && accessor !== '' : management || legacyRules !== undefined,
  nameOf: (_, token) => tokenName(token),
}

/**
 * Checks A5 for tokens or for policies of one secondary datacenter. A copy equals some version of the original, changes
 * only to a later version, and is removed only after the primary has removed the original. Within the time limit, the
 * copies equal the originals.
 */
export class CopiesOf<T> {
  readonly #kind: Kind<T>
  readonly #judge: Judge<CopyExcuses>
  /** By ID, the version of the original that the copy is of. */
  readonly #places = new Map<string, number>()
  /** Since when a round is known to have succeeded without a disturbance after it. */
  #healthyUs: number | undefined
  /** Since when the copies lack something that the primary has; undefined: they lack nothing. */
  #lag: { readonly sinceUs: number; readonly what: string } | undefined

  constructor(kind: Kind<T>, judge: Judge<CopyExcuses>) {
    this.#kind = kind
    this.#judge = judge
  }

  get lacks(): string | undefined {
    return this.#lag?.what
  }

  /** The state of the datacenter was replaced, so the versions of its copies are unknown. */
  replaced(): void {
    this.#places.clear()
    this.failed()
  }

  /** A round has failed: the next one comes later. */
  failed(): void {
    this.#healthyUs = undefined
  }

  /** The datacenter's own state has changed at this time. */
  changed(own: AccessPlace, primary: AccessPlace, atUs: number, excusesStale: boolean): void {
    const originals = this.#kind.versionsOf(primary)
    for (const [id, versions] of this.#kind.versionsOf(own)) {
      if (versions.at(-1)?.fromUs === atUs) this.#moved(id, versions, originals.get(id) ?? [], excusesStale)
    }
  }

  #moved(id: string, copies: readonly Version<T>[], originals: readonly Version<T>[], excusesStale: boolean): void {
    const [value, before] = [copies.at(-1)?.value, copies.at(-2)?.value]
    const named = value ?? before
    if (named === undefined || this.#kind.isLocal(named)) return
    const from = this.#places.get(id) ?? 0
    const isOf = (theirs: T | undefined): boolean =>
      value === undefined || theirs === undefined ? value === theirs : this.#kind.isSame(value, theirs)
    const at = originals.findIndex((version, index) => index >= from && isOf(version.value))
    this.#judge.judged('A5')
    if (at >= 0) return void this.#places.set(id, at)
    if (value === undefined && originals.length === 0) return
    const name = this.#kind.nameOf(id, named)
    const because = [copies.at(-2)?.event ?? 0, originals.at(-1)?.event ?? 0]
    if (value === undefined) {
      this.#judge.report(
        'A5',
        `the copy of ${name} was removed, although the primary datacenter has had it all the time`,
        because,
      )
    } else if (!originals.some((version) => isOf(version.value))) {
      this.#judge.report('A5', `the copy of ${name} holds what the primary datacenter never had`, because)
    } else if (excusesStale) this.#judge.excused('A5', 'stale default reads')
    else this.#judge.report('A5', `the copy of ${name} went back to an earlier version`, because)
  }

  /** The datacenters have different modes. Until the modes are equal, no copy is late. */
  waits(): void {
    this.#lag = undefined
  }

  /** Compares the copies with what the primary has now. */
  compare(own: AccessPlace, primary: AccessPlace, nowUs: number): void {
    const was = this.#lag
    this.#lag = this.#lagOf(own, primary)
    if (was === undefined || this.#lag?.sinceUs === was.sinceUs) return
    this.#judge.judged('A5')
    if (this.#lag === undefined) this.#healthyUs = nowUs
  }

  #lagOf(own: AccessPlace, primary: AccessPlace): { readonly sinceUs: number; readonly what: string } | undefined {
    const [copies, originals] = [this.#kind.versionsOf(own), this.#kind.versionsOf(primary)]
    let found: { readonly sinceUs: number; readonly what: string } | undefined
    for (const id of new Set([...copies.keys(), ...originals.keys()])) {
      const sinceUs = this.#differsSince(copies.get(id)?.at(-1)?.value, originals.get(id) ?? [], own.isNew)
      if (sinceUs === undefined || (found !== undefined && found.sinceUs <= sinceUs)) continue
      const value = originals.get(id)?.at(-1)?.value ?? copies.get(id)?.at(-1)?.value
      if (value !== undefined) found = { sinceUs, what: this.#kind.nameOf(id, value) }
    }
    return found
  }

  /** Since when the original differs from the copy; undefined: they are equal, or it is not copied. */
  #differsSince(copy: T | undefined, originals: readonly Version<T>[], isNew: boolean): number | undefined {
    const now = originals.at(-1)?.value
    if ((copy ?? now) === undefined || !this.#kind.isCopied((copy ?? now) as T, isNew)) return undefined
    if (now !== undefined && !this.#kind.isCopied(now, isNew)) return undefined
    const isOf = (theirs: T | undefined): boolean =>
      copy === undefined || theirs === undefined ? copy === theirs : this.#kind.isSame(copy, theirs)
    if (isOf(now)) return undefined
    let since = originals.length - 1
    while (since > 0 && !isOf(originals[since - 1]?.value)) since--
    return originals[since]?.fromUs ?? 0
  }

  /** Reports copies that are late. `mayCopy`: whether the primary let the datacenter read from then until now. */
  look(nowUs: number, calmSinceUs: number, mayCopy: (sinceUs: number) => boolean): void {
    if (this.#healthyUs !== undefined && this.#healthyUs < calmSinceUs) this.#healthyUs = undefined
    const lag = this.#lag
    if (lag === undefined) return
    const bound = this.#healthyUs === undefined ? copiedAfterTroubleUs : copiedUs
    const sinceUs = Math.max(lag.sinceUs, this.#healthyUs ?? calmSinceUs)
    if (nowUs <= sinceUs + bound) return
    this.#lag = undefined
    if (!mayCopy(sinceUs)) return this.#judge.excused('A5', 'refused to copy')
    this.#judge.judged('A5')
    const lateS = ((nowUs - sinceUs) / 1e6).toFixed(1)
    this.#judge.report(
      'A5',
      `the copy of ${lag.what} is not what the primary datacenter has, ${lateS} s after its change`,
    )
  }
}
