import { InvariantViolation } from '../../src/base/invariant.ts'
import type { Judge } from './checker.ts'
import { type AllExcuses, type InvariantCode, invariants } from './checkers.ts'

/** How many facts of one invariant a run has judged. */
export interface JudgedCount {
  /** Instances in which it could have been broken, and was checked. */
  readonly facts: number
  /** What the facts belong to; absent where that is not counted. */
  readonly of?: number
  /** Number of facts that each excuse left out, or made milder. */
  readonly excuses: Readonly<Record<string, number>>
}

/** The counts of every invariant. */
export type Judged = Readonly<Record<InvariantCode, JudgedCount>>

/** The same, without counts of zero. */
export type SomeJudged = Readonly<
  Partial<
    Record<
      InvariantCode,
      Omit<JudgedCount, 'of' | 'excuses'> & { of?: number | undefined; excuses?: JudgedCount['excuses'] | undefined }
    >
  >
>

interface Count {
  facts: number
  of: number
  readonly excuses: Record<string, number>
}

const codes = Object.keys(invariants) as InvariantCode[]

/** Counts what the checkers of one datacenter of one run judge. */
export class JudgedTally {
  readonly #counts = Object.fromEntries(codes.map((code) => [code, newCount(code)])) as Record<InvariantCode, Count>

  readonly judged: Judge<AllExcuses>['judged'] = (code, count = 1, subjects = 0) => {
    const counted = this.#counts[code]
    counted.facts += count
    counted.of += subjects
  }

  readonly excused: Judge<AllExcuses>['excused'] = (code: InvariantCode, excuse: string, count = 1) => {
    const { excuses } = this.#counts[code]
    const before = excuses[excuse]
    if (before === undefined) throw new InvariantViolation('an excuse that its code does not declare', { code, excuse })
    excuses[excuse] = before + count
  }

  /** The present counts. */
  get counts(): Judged {
    return sumOfJudged([this.#counts])
  }
}

/** The sum of several runs, or of the datacenters of one. */
export function sumOfJudged(all: readonly SomeJudged[]): Judged {
  const sums = codes.map((code): readonly [string, JudgedCount] => {
    const sum = newCount(code)
    for (const { [code]: one } of all) {
      if (one === undefined) continue
      sum.facts += one.facts
      sum.of += one.of ?? 0
      for (const [name, uses] of Object.entries(one.excuses ?? {})) sum.excuses[name] = (sum.excuses[name] ?? 0) + uses
    }
    const { facts, of, excuses } = sum
    return [code, invariants[code].of === undefined ? { facts, excuses } : { facts, of, excuses }]
  })
  return Object.fromEntries(sums) as unknown as Judged
}

function newCount(code: InvariantCode): Count {
  const named = Object.keys(invariants[code].excuses ?? {})
  return { facts: 0, of: 0, excuses: Object.fromEntries(named.map((name) => [name, 0])) }
}
