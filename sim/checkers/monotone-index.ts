import type { Report } from './violation.ts'

/**
 * W1. The index that answers to one query carry never falls: at one running server whatever the consistency, and across
 * servers for reads that promise the newest value. Only answers to requests begun after another was answered compare.
 */
export class MonotoneIndex {
  readonly #highest = new Map<string, number>()
  readonly #report: Report

  constructor(report: Report) {
    this.#report = report
  }

  /** To be kept with the request until its answer. `scope` names the query and whose answers compare. */
  began(scope: string): number {
    return this.#highest.get(scope) ?? 0
  }

  /** `floor`: what `began` gave. */
  answered(scope: string, floor: number, index: number): void {
    if (index < floor) this.#report('W1', `${scope}: index ${index} after ${floor}`)
    if (index > (this.#highest.get(scope) ?? 0)) this.#highest.set(scope, index)
  }
}
