import type { CheckedRun } from '../checker.ts'
import { Owing } from './owing.ts'
import type { RegistrationChange } from './registration-facts.ts'

/** In the form of `serviceText` or `checkText`; undefined: it does not exist. */
export type Value = string | undefined

/** A service or check of one agent, as clients may expect it. */
export interface Item {
  /** The values that it may have by the answers so far: one, unless requests overlapped or were not answered. */
  settled: Set<Value>
  /** Requests about it without an answer, with the values that others acknowledged meanwhile. */
  readonly open: Map<RegistrationChange, Set<Value>>
  /** Requests that were abandoned, and may still take effect. */
  readonly lost: Set<RegistrationChange>
  /** The change that was acknowledged last. */
  last: RegistrationChange | undefined
  /** The event in which it was acknowledged; 0: no trace is recorded, or there was none. */
  lastIn: number
  /** The event in which the catalog's row of it changed last; 0: no trace is recorded, or it never did. */
  listedIn: number
  readonly owing: Owing
  /** Whether its presence or absence in the catalog was counted. */
  isJudged: boolean
}

export function newItem(network: CheckedRun['network']): Item {
  return {
    settled: new Set(),
    open: new Map(),
    lost: new Set(),
    last: undefined,
    lastIn: 0,
    listedIn: 0,
    owing: new Owing(network),
    isJudged: false,
  }
}

/** Whether the catalog may have this value by the answers so far, and by requests that may still take effect. */
export function isPossible({ settled, open, lost }: Item, name: string, listed: Value): boolean {
  if (settled.has(listed)) return true
  return [...open.keys(), ...lost].some(({ items }) => items.get(name) === listed)
}
