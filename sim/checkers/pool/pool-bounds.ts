import { pushPullMs, retransmitLimit, suspicionMaxMult, suspicionMinMs } from '../../../src/gossip/core/scaling.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'

/** Clocks of machines may be wrong by this share of the passing time, and a look is late by up to this share. */
const clockError = 0.1
const lookMs = 2_000

/** How much true time this span may take by a machine's own clock. */
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
 * M1. Time in which all that remember a member learn that it left, if one of them knows. The argument:
 * 1. Gossip about the leave may be over. Each agent broadcasts news a few times, and agents that missed it then,
 *    because they were cut off or not started yet, learn it only in an exchange of full states.
 * 2. At worst, one agent knows of the leave, another considers the member failed, and the other living ones have never
 *    known it, so that they pass nothing on. In each interval, both of the two choose one of the l − 1 others: they
 *    meet with a chance of about 2/(l − 1). So 5(l − 1) intervals pass without that with a chance of e^-10.
 */
export function leaveKnownBoundMs(timing: GossipTiming, members: number): number {
  const exchangeMs = pushPullMs(timing.pushPullIntervalMs, members)
  return agreementBoundMs(timing, members) + byAnyClock(5 * (members - 1) * exchangeMs)
}

function disseminationMs({ retransmitMult, gossipIntervalMs }: GossipTiming, members: number): number {
  return 3 * retransmitLimit(retransmitMult, members) * gossipIntervalMs
}

/** V1. Time in which gossip brings news to all members that it reaches. */
export function spreadWithinMs(timing: GossipTiming, members: number): number {
  return byAnyClock(disseminationMs(timing, members))
}

/** V1. Time in which each member has exchanged its state with another after gossip was over. */
export function exchangedWithinMs(timing: GossipTiming, members: number): number {
  return byAnyClock(disseminationMs(timing, members) + pushPullMs(timing.pushPullIntervalMs, members))
}

/**
 * M4. Time in which one member, by itself, must suspect a dead one. The argument:
 * 1. It probes round by round, each member once in a round, in a random order for each round. So between two probes of
 *    one member lie at most 2(n − 1) − 1 others (SWIM, section 4.3), and that probe itself takes its time.
 * 2. An answered probe takes one interval. An unanswered one lasts (1 + h) intervals with local health h (Lifeguard,
 *    section 4.A), and the next begins at once. `health` is the worst meanwhile.
 */
export function suspectedWithinMs({ probeIntervalMs }: GossipTiming, members: number, health: number): number {
  return byAnyClock((2 * (members - 1) - 1 + 1) * probeIntervalMs * (1 + health))
}

/** M4. A suspicion that no member confirms or refutes ends in death after the longest time (Lifeguard, section 4.B). */
export function deadWithinMs(timing: GossipTiming, members: number): number {
  return byAnyClock(longestSuspicionMs(timing, members))
}

function longestSuspicionMs({ suspicionMult, probeIntervalMs }: GossipTiming, members: number): number {
  return suspicionMaxMult * suspicionMinMs(suspicionMult, members, probeIntervalMs)
}

/** M5. A gone member is not forgotten sooner than this. */
export function reapedNotBeforeMs(timeoutMs: number): number {
  return timeoutMs * (1 - clockError)
}

/**
 * M5. Nor is it kept longer than this: the timer of reaping runs while some member is gone. Agents that sleep are late
 * by a few rounds.
 */
export function reapedWithinMs({ reapIntervalMs }: GossipTiming, timeoutMs: number): number {
  return byAnyClock(timeoutMs + 10 * reapIntervalMs)
}

/**
 * M5. Time in which each observer tries a failed member again. The argument: with f failed and l living of n members,
 * an observer tries a certain one in an interval with the chance min(1, f/l) / f, which is 1/n or more. So 30 n
 * intervals pass without a try with a chance below e^-30.
 */
export function triedWithinMs({ reconnectIntervalMs }: GossipTiming, members: number): number {
  return byAnyClock(30 * members * reconnectIntervalMs)
}
