import type { RandomStream } from '../../src/env/random.ts'
import { Distribution } from './distribution.ts'
import { ElectionTrial, type Surroundings } from './election-trial.ts'
import type { RandomStreams } from './random-streams.ts'

/** A figure that the paper states, in milliseconds. */
export interface PaperFigure {
  readonly of: 'median' | 'mean' | 'worst' | 'least'
  readonly ms: number
}

export interface TimeoutRange {
  readonly minMs: number
  readonly maxMs: number
  /** The graphs of figure 16 that show it: above, the randomness varies; below, the minimum. */
  readonly graphs: readonly ('above' | 'below')[]
  readonly trials: number
  readonly paper: readonly PaperFigure[]
}

const both: readonly ('above' | 'below')[] = ['above', 'below']

/** The lines of figure 16, with the statements of section 9.3 of the extended paper. */
const timeoutRanges: readonly TimeoutRange[] = [
  { minMs: 150, maxMs: 150, graphs: ['above'], trials: 100, paper: [{ of: 'least', ms: 10_000 }] },
  { minMs: 150, maxMs: 151, graphs: ['above'], trials: 1000, paper: [] },
  { minMs: 150, maxMs: 155, graphs: ['above'], trials: 1000, paper: [{ of: 'median', ms: 287 }] },
  { minMs: 150, maxMs: 175, graphs: ['above'], trials: 1000, paper: [] },
  { minMs: 150, maxMs: 200, graphs: ['above'], trials: 1000, paper: [{ of: 'worst', ms: 513 }] },
  { minMs: 150, maxMs: 300, graphs: both, trials: 1000, paper: [] },
  {
    minMs: 12,
    maxMs: 24,
    graphs: ['below'],
    trials: 1000,
    paper: [
      { of: 'mean', ms: 35 },
      { of: 'worst', ms: 152 },
    ],
  },
  { minMs: 25, maxMs: 50, graphs: ['below'], trials: 1000, paper: [] },
  { minMs: 50, maxMs: 100, graphs: ['below'], trials: 1000, paper: [] },
  { minMs: 100, maxMs: 200, graphs: ['below'], trials: 1000, paper: [] },
]

export interface Measured {
  readonly range: TimeoutRange
  /** Milliseconds without a leader; an aborted trial counts as `patienceMs`. */
  readonly withoutLeaderMs: Distribution
  readonly brokenOff: number
  /** Mean number of elections that began in one trial. */
  readonly elections: number
}

export interface ElectionStudy {
  readonly seed: number
  readonly measured: readonly Measured[]
  /** The mean time until the last of four servers has answered a broadcast, from the settings. */
  readonly broadcastMs: number
}

/** A trial without a leader after this time is aborted: the right edge of the paper's upper graph. */
export const patienceMs = 100_000

const messageLeastUs = 250
const messageRestUs = 4080
const latenessMaxUs = 50

/**
 * The paper states one number, a broadcast time of about 15 ms, which it defines as the average time to send to all
 * others and receive all their answers (5.6). Here a message takes 0.25 ms and an exponentially distributed rest,
 * network and disk of the receiver together, whose mean makes the last of four answers arrive after 15 ms on average.
 * Timers fire up to 50 µs late, as on an idle Linux machine.
 */
const surroundings: Surroundings = {
  messageUs: (draws) => messageLeastUs + Math.floor(-Math.log(1 - draws.fraction()) * messageRestUs),
  latenessUs: (draws) => draws.below(latenessMaxUs + 1),
}

export interface StudyOptions {
  readonly seed: number
  /** Number of trials for each range, instead of the paper's. */
  readonly trials: number | undefined
  readonly streams: RandomStreams
  readonly onMeasured: (measured: Measured) => void
}

/** Figure 16 of the extended paper, measured. The same seed gives the same figures. */
export function studyElections({ seed, trials, streams, onMeasured }: StudyOptions): ElectionStudy {
  const measured = timeoutRanges.map((range) => {
    const one = measure(range, trials ?? range.trials, streams)
    onMeasured(one)
    return one
  })
  return { seed, measured, broadcastMs: meanBroadcastMs(streams.fresh('broadcast time')) }
}

function measure(range: TimeoutRange, trials: number, streams: RandomStreams): Measured {
  const { minMs, maxMs } = range
  const results = Array.from({ length: trials }, (_, trial) =>
    new ElectionTrial({
      timeoutMinUs: minMs * 1000,
      timeoutSpreadUs: (maxMs - minMs) * 1000,
      surroundings,
      draws: streams.fresh(`election ${minMs}-${maxMs} trial ${trial}`),
      patienceUs: patienceMs * 1000,
    }).run(),
  )
  return {
    range,
    withoutLeaderMs: new Distribution(results.map((result) => result.withoutLeaderUs / 1000)),
    brokenOff: results.filter((result) => result.isBrokenOff).length,
    elections: results.reduce((sum, result) => sum + result.elections, 0) / trials,
  }
}

function meanBroadcastMs(draws: RandomStream): number {
  const broadcasts = 20_000
  let sumUs = 0
  for (let i = 0; i < broadcasts; i++) {
    let lastUs = 0
    for (let other = 0; other < 4; other++) {
      lastUs = Math.max(lastUs, surroundings.messageUs(draws) + surroundings.messageUs(draws))
    }
    sumUs += lastUs
  }
  return sumUs / broadcasts / 1000
}
