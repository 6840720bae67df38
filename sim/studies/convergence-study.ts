import { lanGossip } from '../../src/agent/settings/gossip-timing.ts'
import { pushPullMs } from '../../src/gossip/core/scaling.ts'
import { Distribution } from './distribution.ts'
import { MemberPool } from './member-pool.ts'
import type { Traffic } from './pool-traffic.ts'
import type { RandomStreams } from './random-streams.ts'

/** Default sizes of the measured pools. */
export const usualSizes: readonly number[] = [10, 100, 1_000]

/** Time limit of one trial: many times what gossip needs to reach all members. */
const patienceMs = 30_000

export interface SizeMeasured {
  readonly members: number
  /** Seconds from a member's change to the last member that learns it; one value for each trial. */
  readonly dissemination: Distribution
  /** Number of trials in which gossip alone did not reach all members within the time limit. */
  readonly incomplete: number
  /** Per member and second, without any changes. Sent datagrams; in total, as many are received. */
  readonly datagrams: number
  readonly datagramBytes: number
  /** Size of one exchange of full states, both ways, and the rate that each member causes per second. */
  readonly exchangeBytes: number
  readonly streamBytes: number
  /** Datagrams per member that one change costs, beyond those without changes. */
  readonly newsDatagrams: number
}

export interface ConvergenceOptions {
  readonly streams: RandomStreams
  readonly sizes: readonly number[]
  readonly trials: number
  readonly onMeasured: (measured: SizeMeasured) => void
}

/**
 * How changes spread and what a pool costs, by its size, with the timing of agents in one datacenter. The change is
 * that one member gets new tags. The same seed gives the same figures.
 */
export function studyConvergence({ streams, sizes, trials, onMeasured }: ConvergenceOptions): readonly SizeMeasured[] {
  return sizes.map((members) => {
    const measured = measureSize(members, trials, streams)
    onMeasured(measured)
    return measured
  })
}

function measureSize(members: number, trials: number, streams: RandomStreams): SizeMeasured {
  let reached = 0
  let lastMs = 0
  const pool = new MemberPool({
    members,
    timing: lanGossip,
    metaBytes: 120,
    latencyMs: { least: 0.2, most: 1 },
    draws: streams.fresh(`convergence ${members}`),
    onChange: (_observer, { kind }, nowMs) => {
      if (kind !== 'updated') return
      reached++
      lastMs = nowMs
    },
  })
  // Every member exchanges full states at least once.
  const quietMs = 2 * pushPullMs(lanGossip.pushPullIntervalMs, members)
  pool.runUntil(10_000)
  const before = { ...pool.traffic }
  pool.runUntil(pool.nowMs + quietMs)
  const quiet = between(before, pool.traffic)
  const seconds: number[] = []
  let newsDatagrams = 0
  for (let trial = 0; trial < trials; trial++) {
    const beginMs = pool.nowMs
    const begun = { ...pool.traffic }
    reached = 0
    pool.changeMeta((trial * 7) % members, new Uint8Array(120).fill(trial + 1))
    pool.runUntil(beginMs + patienceMs)
    // The member with the change counts, too.
    if (reached === members) seconds.push((lastMs - beginMs) / 1000)
    const extra = between(begun, pool.traffic).datagrams - (quiet.datagrams * patienceMs) / quietMs
    newsDatagrams += extra / members / trials
  }
  const each = (amount: number): number => amount / members / (quietMs / 1000)
  return {
    members,
    dissemination: new Distribution(seconds),
    incomplete: trials - seconds.length,
    datagrams: each(quiet.datagrams),
    datagramBytes: each(quiet.datagramBytes),
    exchangeBytes: quiet.streamBytes / quiet.exchanges,
    streamBytes: each(quiet.streamBytes),
    newsDatagrams,
  }
}

function between(before: Traffic, after: Traffic): Traffic {
  return {
    datagrams: after.datagrams - before.datagrams,
    datagramBytes: after.datagramBytes - before.datagramBytes,
    exchanges: after.exchanges - before.exchanges,
    streamBytes: after.streamBytes - before.streamBytes,
  }
}
