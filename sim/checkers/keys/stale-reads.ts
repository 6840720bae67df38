import { appliedIn, checker, type Judge } from '../checker.ts'
import { type AppliedKeys, appliedKeys } from './applied-keys.ts'
import { eventsOf, type KeyOperation, operationText } from './key-history.ts'
import { linearizableKeys } from './linearizable-keys.ts'

type Excuse = 'restarted meanwhile' | 'catching up'

/** A read when it began. */
interface Begun {
  readonly server: string
  readonly boot: number
  /** How far earlier answers of this server had come. */
  readonly reached: number
}

/**
 * K1 for stale reads. The value that a stale read finds was the newest value at some time. Of two reads of a key at one
 * running server, the one that began after the other was answered never finds an older state (a monotone prefix of the
 * log).
 */
export class StaleReads {
  readonly #applied: AppliedKeys
  readonly #judge: Judge<{ K1: Excuse }>
  /**
   * By server, boot and key: the position among the key's versions that an answered read has reached; -1: before the
   * first.
   */
  readonly #reached = new Map<string, number>()

  constructor(judge: Judge<{ K1: Excuse }>, applied: AppliedKeys) {
    this.#applied = applied
    this.#judge = judge
  }

  /** The result is kept with the read until its answer. */
  began(server: string, boot: number, key: string): Begun {
    return { server, boot, reached: this.#reached.get(`${server} ${boot} ${key}`) ?? -1 }
  }

  /**
   * The read was answered by whichever server a client agent chose: its value must have been the newest once, and that
   * is all.
   */
  answeredBySome(operation: KeyOperation): void {
    this.#judge.judged('K1')
    const { key, found } = operation
    if (found === undefined || this.#applied.hasHeld(key, found)) return
    this.#judge.report('K1', `key '${key}': a value never held: ${operationText(operation)}`, eventsOf(operation))
  }

  /**
   * One process was asked, and the next process of its server may have answered: it is not known which of them must be
   * monotone.
   */
  answeredByEither(operation: KeyOperation): void {
    this.#judge.excused('K1', 'restarted meanwhile')
    this.answeredBySome(operation)
  }

  /** `mayBeOld`: as for W1. */
  answered(operation: KeyOperation, { server, boot, reached }: Begun, mayBeOld = false): void {
    this.#judge.judged('K1')
    const versions = this.#applied.versions(operation.key)
    let at = reached
    if (at >= 0 || operation.found !== undefined) {
      at = Math.max(at, 0)
      while (at < versions.length && versions[at]?.value !== operation.found) at++
    }
    if (at >= versions.length && at >= 0) {
      const isOlder = versions.some((version) => version.value === operation.found)
      if (isOlder && mayBeOld) return this.#judge.excused('K1', 'catching up')
      const why = isOlder ? 'an older state than before' : 'a value never held'
      this.#judge.report('K1', `key '${operation.key}' at ${server}: ${why}: ${operationText(operation)}`, [
        ...eventsOf(operation),
        ...appliedIn(this.#judge, versions[reached]?.index ?? 0),
      ])
      return
    }
    const name = `${server} ${boot} ${operation.key}`
    this.#reached.set(name, Math.max(at, this.#reached.get(name) ?? -1))
  }
}

export const staleReads = checker({
  codes: {},
  also: [linearizableKeys],
  make: (run) => new StaleReads(run, run.of(appliedKeys)),
})
