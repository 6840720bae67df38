import { lamportMax } from './bounds.ts'
import { count } from './outbox.ts'
import type { GossipCore } from './state.ts'
import type { GossipEvent } from './types.ts'
import { isLamport } from './validity.ts'

/** The Lamport clocks of a member: of intents, of user events, of queries. */
type Clock = 'clock' | 'eventClock' | 'queryClock'

/** How far one clock may leap in `leapMs`, in all. */
export const leapMax = 4_294_967_296
const leapMs = 60_000

/** A message that is ahead by no more than this is accepted at any time. */
const stepMax = 1_024

/**
 * Advances a clock past a Lamport time that was received (serf `LamportClock.Witness`), but never beyond what others
 * accept. False, and counted: the time is further ahead than this clock may leap now, so the message must be dropped.
 *
 * Without that bound, one forged message would set the clocks of the whole pool to their maximum, where all later events
 * have one time, of which 64 are remembered: the others would be refused until all agents have stopped at once. Why the
 * bound harms no sound pool:
 * 1. A clock counts messages. In a partition, one side may get ahead of the other by as many as it sends meanwhile:
 *    `leapMax` is what a pool with a thousand events in every second sends in 50 days.
 * 2. An agent that joins believes the pool that it joins, however far that is ahead.
 * 3. Any other exchange of states takes a clock along as far as it may leap, and once in a minute as far again. So an
 *    agent that others have joined, or a pool after such a forgery, catches up by itself.
 * A forger needs two years to reach the maximum: `lamportMax / leapMax` minutes.
 */
export function witness(gossip: GossipCore, which: Clock, lamport: number): boolean {
  const ahead = lamport + 1 - gossip[which]
  if (ahead <= 0) return true
  if (leap(gossip, which, ahead) < ahead) {
    count(gossip, 'gossip.dropped.ahead')
    return false
  }
  gossip[which] = Math.min(lamport + 1, lamportMax)
  return true
}

/** The clock of another member, in an exchange of states. */
export function follow(
  gossip: GossipCore,
  which: Clock,
  time: number,
  how: Extract<GossipEvent, { readonly kind: 'state-received' }>['how'],
): void {
  const ahead = time - gossip[which]
  if (!isLamport(time) || ahead <= 0) return
  gossip[which] += how === 'join-answer' ? ahead : leap(gossip, which, ahead, 'as far as possible')
}

/** How far the clock may go, up to `ahead`; nothing is used up by a leap that is refused. */
function leap(gossip: GossipCore, which: Clock, ahead: number, partly?: 'as far as possible'): number {
  if (ahead <= stepMax) return ahead
  const { nowMs } = gossip.turn
  const before = gossip.leaps.get(which) ?? { left: leapMax, atMs: nowMs }
  const regained = Math.floor(((nowMs - before.atMs) / leapMs) * leapMax)
  const left = Math.min(leapMax, before.left + regained)
  if (ahead > left && partly === undefined) return 0
  const far = Math.min(ahead, left)
  gossip.leaps.set(which, { left: left - far, atMs: nowMs })
  return far
}
