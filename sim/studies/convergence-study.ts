import { lanGossip } from '../../src/agent/settings/gossip-timing.ts'
import { pushPullMs } from '../../src/gossip/core/scaling.ts'
import type { RandomStreams } from '../world/random-streams.ts'
import { Distribution } from './distribution.ts'
import { MemberPool, type Traffic } from './member-pool.ts'

/** Sizes of pools that are measured unless others are asked for. */
export const usualSizes: readonly number[] = [10, 100, 1_000]

/** Many times what gossip takes to reach everybody. */
const patienceMs = 30_000

export interface SizeMeasured {
  readonly members: number
  /** From a member's news to the last that learns it, seconds; one value for each trial. */
  readonly dissemination: Distribution
  /** Of all trials, how many the news did not reach everybody within the patience, by gossip alone. */
  readonly incomplete: number
  /** While there is no news, a member and second. Sent, not received: in all they are the same. */
  readonly datagrams: number
  readonly datagramBytes: number
  /** What one exchange of whole states weighs, both ways, and how much of it each member causes in a second. */
  readonly exchangeBytes: number
  readonly streamBytes: number
  /** Datagrams that one piece of news costs beyond those of the quiet, for each member. */
  readonly newsDatagrams: number
}

export interface ConvergenceOptions {
  readonly streams: RandomStreams
  readonly sizes: readonly number[]
  readonly trials: number
  readonly onMeasured: (measured: SizeMeasured) => void
}

/**
 * How news spreads and what a pool costs, by its size: everybody's timing is that of agents in one datacenter. The news is
 * that one member has new tags. The same seed gives the same figures.
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
  // Everybody exchanges whole states at least once.
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
    // The one that has the news counts too.
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
