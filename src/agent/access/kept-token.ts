import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { TokenRights } from './rights.ts'

/** What an agent knows of one token from the servers that it asked. */
export interface KeptToken {
  /** Undefined: there is no such token, or no server could answer. */
  rights: TokenRights | undefined
  outcome: Result<Authorizer, Failure>
  /** Index of the state when this outcome was learned. */
  since: ModifyIndex
  /** The last moment at which this outcome was certainly true. */
  asOfMs: number
  untilMs: number
  /** Why the last refresh failed; undefined if it succeeded. */
  failure: Failure | undefined
  /** When the last refresh failed. */
  failedMs: number
  /** How often `hope` had been called when the refresh failed. */
  hopes: number
}

/** What is known of a token before a server has answered. */
export const nothingKnown = {
  rights: undefined,
  since: noChange,
  asOfMs: 0,
  failure: undefined,
  failedMs: Number.NEGATIVE_INFINITY,
  hopes: 0,
} as const

export function sameOutcome(before: KeptToken['outcome'] | undefined, now: KeptToken['outcome']): boolean {
  return before === now || (before?.ok === true && now.ok && before.value === now.value)
}

/** Number of characters of the token's secret and rules, by which the cache is bounded. */
export function lettersOf({ rights }: KeptToken, secret: string): number {
  return (rights?.rules ?? []).reduce((sum, { text }) => sum + text.length, secret.length)
}
