import type { RandomStream } from '../../env/random.ts'
import type { IssuedLeaf } from '../../features/connect/model.ts'

/**
 * When leaves are renewed. All times are in milliseconds; `mono` is monotonic time, `wall` is the time of certificates.
 */

/** A leaf is renewed at a moment drawn between these fractions of its lifetime, which leaves time for retries. */
const renewFrom = 0.6
const renewTo = 0.9
/**
 * No leaf is renewed before this fraction of its lifetime, whatever the wall clock says: a wrong clock would renew for
 * ever.
 */
const renewFloor = 0.05
/** Longest delay of a timer: the wall clock may have been set meanwhile. */
export const lookAgainMs = 5 * 60_000
/**
 * Agents that see a new root request new leaves over a time that grows with their number: 20 leaves a second in total.
 */
const spreadPerAgentMs = 50
const spreadMinMs = 10_000
const spreadMaxMs = 10 * 60_000
/** Pause after a failed attempt, doubled with each further failure, plus up to half of it at random. */
const retryMinMs = 1_000
const retryMaxMs = 60_000

export interface Now {
  readonly monoMs: number
  readonly wallMs: number
}

/** A leaf with the time of its arrival on both clocks. */
export interface DatedLeaf {
  readonly leaf: IssuedLeaf
  readonly issuedMonoMs: number
  /** The fraction of its lifetime after which it is renewed. */
  readonly renewAt: number
}

export function drawRenewal(random: RandomStream): number {
  return renewFrom + random.fraction() * (renewTo - renewFrom)
}

/**
 * Time until renewal; 0 or less: now. The earlier of both clocks counts: the wall clock may be slow, and the monotonic
 * one may have stopped while the machine slept.
 */
export function renewalInMs({ leaf, issuedMonoMs, renewAt }: DatedLeaf, now: Now): number {
  const lifeMs = leaf.notAfterMs - leaf.notBeforeMs
  const byWall = leaf.notBeforeMs + lifeMs * renewAt - now.wallMs
  const byMono = issuedMonoMs + lifeMs * renewAt - now.monoMs
  const floor = issuedMonoMs + lifeMs * renewFloor - now.monoMs
  return Math.max(Math.min(byWall, byMono), floor)
}

/**
 * Whether the leaf is no longer usable. A leaf that has just arrived is never spent: then the wall clock is wrong, and
 * a new leaf would be no better.
 */
export function isSpent({ leaf, issuedMonoMs }: DatedLeaf, now: Now): boolean {
  const lifeMs = leaf.notAfterMs - leaf.notBeforeMs
  const livedMs = now.monoMs - issuedMonoMs
  return livedMs >= lifeMs || (now.wallMs >= leaf.notAfterMs && livedMs >= lifeMs * renewFloor)
}

/** The random moment, within the time of all agents, at which this agent requests a leaf of the new root. */
export function drawSpread(random: RandomStream, memberCount: number): number {
  return random.fraction() * Math.min(Math.max(memberCount * spreadPerAgentMs, spreadMinMs), spreadMaxMs)
}

export function retryInMs(random: RandomStream, failures: number): number {
  const pauseMs = Math.min(retryMinMs * (1 << Math.min(failures - 1, 10)), retryMaxMs)
  return pauseMs * (1 + random.fraction() / 2)
}
