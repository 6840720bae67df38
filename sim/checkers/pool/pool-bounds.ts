import { pushPullMs, retransmitLimit, suspicionMaxMult, suspicionMinMs } from '../../../src/gossip/core/scaling.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'

/** Clocks of machines may be off by so much of the time that goes by; and a look is late by so much. */
const clockError = 0.1
const lookMs = 2_000

/** How much true time this may take by a clock of its own. */
function byAnyClock(spanMs: number): number {
  return spanMs * (1 + clockError) + lookMs
}

/**
 * M1, M2. Time in which a pool of `members` must agree once nothing disturbs it. The argument, step by step:
 * 1. A member that is still suspected wrongly refutes the suspicion, or the suspicion ends: at most the longest
 *    suspicion.
 * 2. An agent that considers another failed tries to reconnect. With f failed and l living members, each living one
 *    tries one of them per interval with probability f/l, so each failed member is tried about once per interval; an
 *    agent that is cut off from all tries some member in every interval. Six intervals pass without a try with a
 *    probability below 1/400 for a member that only the others can find.
 * 3. News learned in an exchange is passed on: each round of gossip multiplies the agents that have it, and each sends
 *    a message `retransmitLimit` times; three times that in intervals is plenty.
 * 4. Messages that gossip loses nevertheless are repaired by one exchange of full states, whose interval grows with the
 *    pool.
 */
export function agreementBoundMs(timing: GossipTiming, members: number): number {
  const { reconnectIntervalMs, pushPullIntervalMs } = timing
  return byAnyClock(
    longestSuspicionMs(timing, members) +
      5 * reconnectIntervalMs +
      disseminationMs(timing, members) +
      pushPullMs(pushPullIntervalMs, members),
  )
}

/**
 * M1. Time in which all that remember a member come to know that it left, where one of them knows it. The argument:
 * 1. Gossip about the leave may be over: each agent passes news on a few times, and those that did not hear it then,
 *    cut off or not started yet, learn it in an exchange of full states alone.
 * 2. At worst one agent knows of the leave, one holds that the member failed, and the other living ones have never
 *    known it, so that they pass nothing on. In each interval both of the two choose one of the l − 1 others: they meet
 *    with a chance of 2/(l − 1), about. So 5(l − 1) intervals go by without that with a chance of e^-10.
 */
export function leaveKnownBoundMs(timing: GossipTiming, members: number): number {
  const exchangeMs = pushPullMs(timing.pushPullIntervalMs, members)
  return agreementBoundMs(timing, members) + byAnyClock(5 * (members - 1) * exchangeMs)
}

function disseminationMs({ retransmitMult, gossipIntervalMs }: GossipTiming, members: number): number {
  return 3 * retransmitLimit(retransmitMult, members) * gossipIntervalMs
}

/** V1. Time in which gossip passes news on to all members that it reaches. */
export function spreadWithinMs(timing: GossipTiming, members: number): number {
  return byAnyClock(disseminationMs(timing, members))
}

/** V1. Time in which each member has exchanged its state with another after gossip was over. */
export function exchangedWithinMs(timing: GossipTiming, members: number): number {
  return byAnyClock(disseminationMs(timing, members) + pushPullMs(timing.pushPullIntervalMs, members))
}

/**
 * M4. Time in which one member, by itself, must suspect a dead one. The argument:
 * 1. It probes round by round, each member once in a round, in an order drawn for each: so between two probes of one
 *    member lie at most 2(n − 1) − 1 others (SWIM, section 4.3), and that probe itself takes its time.
 * 2. A probe takes one interval when it is answered. One that is not lasts (1 + h) intervals with local health h
 *    (Lifeguard, section 4.A), and the next begins at once. `health` is the worst meanwhile.
 */
export function suspectedWithinMs({ probeIntervalMs }: GossipTiming, members: number, health: number): number {
  return byAnyClock((2 * (members - 1) - 1 + 1) * probeIntervalMs * (1 + health))
}

/**
 * M4. A suspicion that nobody confirms and nobody contradicts ends in death after the longest time (Lifeguard, section
 * 4.B).
 */
export function deadWithinMs(timing: GossipTiming, members: number): number {
  return byAnyClock(longestSuspicionMs(timing, members))
}

function longestSuspicionMs({ suspicionMult, probeIntervalMs }: GossipTiming, members: number): number {
  return suspicionMaxMult * suspicionMinMs(suspicionMult, members, probeIntervalMs)
}

/** M5. Nobody is forgotten sooner than this after it was gone. */
export function reapedNotBeforeMs(timeoutMs: number): number {
  return timeoutMs * (1 - clockError)
}

/**
 * M5. Nor kept longer than this: the timer of reaping runs while somebody is gone. Sleeping agents are late by a few
 * rounds.
 */
export function reapedWithinMs({ reapIntervalMs }: GossipTiming, timeoutMs: number): number {
  return byAnyClock(timeoutMs + 10 * reapIntervalMs)
}

/**
 * M5. A failed member is tried again by each observer. The argument: with f failed and l living of n members an
 * observer tries a certain one in an interval with the chance min(1, f/l) / f, which is 1/n or more. So 30 n intervals
 * pass without a try with a chance below e^-30.
 */
export function triedWithinMs({ reconnectIntervalMs }: GossipTiming, members: number): number {
  return byAnyClock(30 * members * reconnectIntervalMs)
}
