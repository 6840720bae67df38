import type { Dice } from '../../tools/dice.ts'

/** A fault that strikes when the cluster reaches a state. Uniform chaos alone misses the famous bugs. */
export type Trigger =
  | 'none'
  /** A fresh leader loses half its links, crashes soon after, and comes back: figure 8 of the paper. */
  | 'elected-cut-crash'
  /** A voter crashes just after its vote left, and is back before the round ends. */
  | 'voted-crash'
  /** Anyone crashes while its disk is at work. */
  | 'persisting-crash'
  /** A fresh leader is paused beyond its lease, and wakes to queued reads. */
  | 'elected-pause'
  /** A fresh leader asks for a change of members, and is cut off with few others. */
  | 'elected-change-cut'
  /** A leader is cut off from all while it takes proposals, and comes back later with its tail. */
  | 'elected-isolate'
  /** One follower loses its leader; then another is cut off too, and restarts, while the leader's lease still holds. */
  | 'elected-forget'

/** One seed's knobs: some faults are off altogether in any one run. */
export interface Swarm {
  readonly voters: number
  readonly spares: number
  /** Spares begin as non-voters; otherwise they begin outside the configuration. */
  readonly sparesJoin: boolean
  readonly heartbeatTimeoutMs: number
  readonly leaderLeaseMs: number
  readonly clockRateBound: number
  readonly appendEntriesMax: number
  readonly appendsInFlightMax: number
  readonly delayMs: number
  /** The first server is far away from the others, or its clock is slow and theirs are fast. */
  readonly odd: 'none' | 'far' | 'slow'
  readonly loss: number
  readonly duplication: number
  readonly slowTail: number
  readonly syncMs: number
  readonly crashMeanMs: number
  /** How often the others see that a process has died, rather than hear nothing of it. */
  readonly witnesses: number
  readonly cutMeanMs: number
  /** Share of cuts that let one direction through. */
  readonly oneWay: number
  readonly pauseMeanMs: number
  readonly leaderBias: number
  readonly trigger: Trigger
  readonly proposalMeanMs: number
  readonly readMeanMs: number
  readonly changeMeanMs: number
  readonly transferMeanMs: number
  readonly snapshotEvery: number
  readonly trailing: number
  readonly durationMs: number
}

const never = Number.POSITIVE_INFINITY

export function drawSwarm(dice: Dice, over: Partial<Swarm> = {}): Swarm {
  const heartbeatTimeoutMs = dice.pick([20, 60, 150, 150])
  const drawn: Swarm = {
    voters: dice.pick([1, 2, 3, 3, 3, 4, 5, 5]),
    spares: dice.pick([0, 0, 1, 2]),
    sparesJoin: dice.chance(0.5),
    heartbeatTimeoutMs,
    leaderLeaseMs: dice.pick([heartbeatTimeoutMs, heartbeatTimeoutMs, heartbeatTimeoutMs / 2]),
    clockRateBound: dice.pick([0.01, 0.05, 0.2]),
    appendEntriesMax: dice.pick([1, 1, 2, 8]),
    appendsInFlightMax: dice.pick([1, 3, 16]),
    delayMs: dice.pick([1, 3, 8, 20]),
    odd: dice.pick(['none', 'none', 'far', 'slow'] as const),
    loss: dice.pick([0, 0, 0.02, 0.15]),
    duplication: dice.pick([0, 0.05]),
    slowTail: dice.pick([0, 0, 0.1, 0.3]),
    syncMs: dice.pick([0, 1, 5, 30]),
    crashMeanMs: dice.pick([never, never, 1500, 400]),
    cutMeanMs: dice.pick([never, 1000, 300]),
    oneWay: dice.pick([0.1, 0.8]),
    pauseMeanMs: dice.pick([never, never, 800]),
    leaderBias: dice.pick([0, 0.8]),
    trigger: dice.pick<Trigger>([
      'none',
      'elected-cut-crash',
      'voted-crash',
      'persisting-crash',
      'elected-pause',
      'elected-change-cut',
      'elected-isolate',
      'elected-forget',
    ]),
    proposalMeanMs: dice.pick([5, 20, 60]),
    readMeanMs: dice.pick([10, 50]),
    changeMeanMs: dice.pick([never, never, 600, 150]),
    transferMeanMs: dice.pick([never, never, 700]),
    snapshotEvery: dice.pick([never, 10, 40]),
    trailing: dice.pick([0, 3, 20]),
    durationMs: 4000,
    witnesses: dice.pick([0, 0.5, 1]),
  }
  const swarm = { ...drawn, ...over }
  return { ...swarm, leaderLeaseMs: Math.min(swarm.leaderLeaseMs, swarm.heartbeatTimeoutMs) }
}
