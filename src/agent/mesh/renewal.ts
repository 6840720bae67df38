import type { RandomStream } from '../../env/random.ts'
import type { IssuedLeaf } from '../../features/connect/model.ts'

/** When leaves are renewed. All times are in milliseconds; `mono` counts what has passed, `wall` is what certificates say. */

/** A leaf is renewed at a moment drawn between these parts of its life: some try, and some time to try again, are left. */
const renewFrom = 0.6
const renewTo = 0.9
/** No leaf is renewed before this part of its life, whatever the clock on the wall says: a wrong one would ask for ever. */
const renewFloor = 0.05
/** A timer looks again after this at the latest: the clock on the wall may have been set. */
export const lookAgainMs = 5 * 60_000
/** Agents that see a new root ask for new leaves within a time that grows with their number: 20 a second, all together. */
const spreadPerAgentMs = 50
const spreadMinMs = 10_000
const spreadMaxMs = 10 * 60_000
/** Pause after an attempt that failed, doubled with each further one, and up to half as long again. */
const retryMinMs = 1_000
const retryMaxMs = 60_000

export interface Now {
  readonly monoMs: number
  readonly wallMs: number
}

/** A leaf, and by which clock it came. */
export interface DatedLeaf {
  readonly leaf: IssuedLeaf
  readonly issuedMonoMs: number
  /** The part of its life after which it is renewed. */
  readonly renewAt: number
}

export function drawRenewal(random: RandomStream): number {
  return renewFrom + random.fraction() * (renewTo - renewFrom)
}

/**
 * How long until it should be renewed; 0 or less: it should be now. Whichever clock says so first: the one on the wall may stand
 * behind, and the other may have slept with its machine.
 */
export function renewalInMs({ leaf, issuedMonoMs, renewAt }: DatedLeaf, now: Now): number {
  const lifeMs = leaf.notAfterMs - leaf.notBeforeMs
  const byWall = leaf.notBeforeMs + lifeMs * renewAt - now.wallMs
  const byMono = issuedMonoMs + lifeMs * renewAt - now.monoMs
  const floor = issuedMonoMs + lifeMs * renewFloor - now.monoMs
  return Math.max(Math.min(byWall, byMono), floor)
}

/** It is of no use any more, unless it has only just come: then the clock on the wall is wrong, and a new one would be as this. */
export function isSpent({ leaf, issuedMonoMs }: DatedLeaf, now: Now): boolean {
  const lifeMs = leaf.notAfterMs - leaf.notBeforeMs
  const livedMs = now.monoMs - issuedMonoMs
  return livedMs >= lifeMs || (now.wallMs >= leaf.notAfterMs && livedMs >= lifeMs * renewFloor)
}

/** When within the time of all agents this one asks for a leaf under the new root. */
export function drawSpread(random: RandomStream, memberCount: number): number {
  return random.fraction() * Math.min(Math.max(memberCount * spreadPerAgentMs, spreadMinMs), spreadMaxMs)
}

export function retryInMs(random: RandomStream, failures: number): number {
  const pauseMs = Math.min(retryMinMs * (1 << Math.min(failures - 1, 10)), retryMaxMs)
  return pauseMs * (1 + random.fraction() / 2)
}
