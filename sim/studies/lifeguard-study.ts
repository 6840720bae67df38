import { lanGossip } from '../../src/agent/settings/gossip-timing.ts'
import type { WithoutParts } from '../../src/gossip/core/options.ts'
import { Distribution } from './distribution.ts'
import { MemberPool } from './member-pool.ts'
import type { RandomStreams } from './random-streams.ts'

/** The protocol without some of its parts. */
export interface Variant {
  readonly name: string
  readonly without: WithoutParts
}

const none: WithoutParts = { localHealth: true, shrinkingSuspicion: true, buddy: true, sleepExcuse: true }

/** The variants of the paper's tables, and of agents of this product. */
export const variants: readonly Variant[] = [
  { name: 'SWIM', without: none },
  { name: 'LHA-Probe', without: { ...none, localHealth: false } },
  { name: 'LHA-Suspicion', without: { ...none, shrinkingSuspicion: false } },
  { name: 'Buddy System', without: { ...none, buddy: false } },
  { name: 'Lifeguard', without: { sleepExcuse: true } },
  { name: 'as agents run', without: {} },
]

/** The paper: α = 5, β = 6 (the core's own value), probes each second with a timeout of half a second. */
const timing = { ...lanGossip, suspicionMult: 5, probeIntervalMs: 1_000, probeTimeoutMs: 500 }

/** How many members are blocked at once, for how long, and the pause in between. */
export interface Grid {
  readonly members: number
  readonly blocked: readonly number[]
  readonly durationsMs: readonly number[]
  readonly intervalsMs: readonly number[]
  /** Runs of the detection experiment for each number of blocked members. */
  readonly detections: number
}

export const wholeGrid: Grid = {
  members: 128,
  blocked: [1, 4, 8, 12, 16, 20, 24, 28, 32],
  durationsMs: [128, 512, 2_048, 8_192, 16_384, 32_768],
  intervalsMs: [1, 4, 16, 64, 256, 1_024, 4_096, 16_384],
  detections: 10,
}

/** Every second or third line of the whole grid, without the blocks that are too short to be noticed. */
export const thinGrid: Grid = {
  members: 128,
  blocked: [4, 16, 32],
  durationsMs: [2_048, 8_192, 32_768],
  intervalsMs: [1, 64, 1_024, 16_384],
  detections: 3,
}

/** The cells where plain SWIM goes wrong, for a first look. */
export const fewCells: Grid = {
  members: 128,
  blocked: [16, 32],
  durationsMs: [32_768],
  intervalsMs: [1, 1_024],
  detections: 1,
}

const experimentMs = 120_000
/** Before any block each member has begun its rounds. */
const settleMs = 15_000
const detectionBlockMs = 32_768
/** The longest suspicion, and its dissemination. */
const detectionPatienceMs = 100_000

export interface FalsePositives {
  /** Events in which a member declares a never blocked member dead, counted at each member. */
  readonly all: number
  /** Those of them at members that were never blocked themselves. */
  readonly atHealthy: number
}

export interface VariantMeasured {
  readonly variant: Variant
  /** By the number of blocked members. */
  readonly falsePositives: readonly (FalsePositives & { readonly blocked: number })[]
  readonly total: FalsePositives
  /** Seconds from the start of a block to the first member that declares the blocked one dead. */
  readonly firstDetection: Distribution
  /** Seconds to the last of those that are not blocked. */
  readonly fullDissemination: Distribution
  /** Blocked members that some member did not declare dead. */
  readonly undetected: number
}

export interface LifeguardOptions {
  readonly streams: RandomStreams
  /** Runs of each cell of the grid. */
  readonly trials: number
  readonly grid: Grid
  /** In this order. */
  readonly variants: readonly Variant[]
  readonly onMeasured: (measured: VariantMeasured) => void
}

/**
 * The two experiments of the Lifeguard paper (Dadgar, Phillips, Currey 2018, section 5): members that are blocked
 * repeatedly for false positives, and once for the detection time. The same seed gives the same figures.
 */
export function studyLifeguard(options: LifeguardOptions): readonly VariantMeasured[] {
  return options.variants.map((variant) => {
    const measured = measureVariant(variant, options)
    options.onMeasured(measured)
    return measured
  })
}

function measureVariant(variant: Variant, { streams, trials, grid }: LifeguardOptions): VariantMeasured {
  const falsePositives = grid.blocked.map((blocked) => {
    const cells = grid.durationsMs.flatMap((durationMs) =>
      grid.intervalsMs.flatMap((intervalMs) =>
        Array.from({ length: trials }, (_, trial) =>
          blockAgainAndAgain(variant, { members: grid.members, blocked, durationMs, intervalMs, trial }, streams),
        ),
      ),
    )
    return { blocked, ...sum(cells) }
  })
  const detections = grid.blocked.flatMap((blocked) =>
    Array.from({ length: trials * grid.detections }, (_, trial) =>
      blockOnce(variant, { members: grid.members, blocked, trial }, streams),
    ).flat(),
  )
  const detected = detections.filter(({ allMs }) => allMs !== undefined)
  return {
    variant,
    falsePositives,
    total: sum(falsePositives),
    firstDetection: new Distribution(detected.map(({ firstMs }) => (firstMs ?? 0) / 1000)),
    fullDissemination: new Distribution(detected.map(({ allMs }) => (allMs ?? 0) / 1000)),
    undetected: detections.length - detected.length,
  }
}

function sum(parts: readonly FalsePositives[]): FalsePositives {
  return {
    all: parts.reduce((total, { all }) => total + all, 0),
    atHealthy: parts.reduce((total, { atHealthy }) => total + atHealthy, 0),
  }
}

interface Cell {
  readonly members: number
  readonly blocked: number
  readonly durationMs: number
  readonly intervalMs: number
  readonly trial: number
}

const latencyMs = { least: 0.2, most: 1 }
/** Size of a client agent's tags. */
const metaBytes = 120

/** The interval experiment: the first `blocked` members are blocked and unblocked in turn, all at once. */
function blockAgainAndAgain({ without }: Variant, cell: Cell, streams: RandomStreams): FalsePositives {
  const { members, blocked, durationMs, intervalMs, trial } = cell
  let all = 0
  let atHealthy = 0
  const pool = new MemberPool({
    members,
    timing,
    without,
    metaBytes,
    latencyMs,
    // The same draws for each variant.
    draws: streams.fresh(`lifeguard ${blocked} ${durationMs} ${intervalMs} trial ${trial}`),
    onChange: (observer, { kind, member }) => {
      if (kind !== 'failed' || numberOf(member.name) < blocked) return
      all++
      if (observer >= blocked) atHealthy++
    },
  })
  const each = (act: (number: number) => void): void => {
    for (let number = 0; number < blocked; number++) act(number)
  }
  const round = (): void => {
    each((number) => pool.block(number))
    pool.after(durationMs, () => {
      each((number) => pool.unblock(number))
      pool.after(intervalMs, round)
    })
  }
  pool.after(settleMs, round)
  pool.runUntil(settleMs + experimentMs)
  return { all, atHealthy }
}

interface Detection {
  readonly firstMs: number | undefined
  readonly allMs: number | undefined
}

/** The threshold experiment at its longest: `blocked` members are blocked once, at one moment. */
function blockOnce(
  { without }: Variant,
  { members, blocked, trial }: Pick<Cell, 'members' | 'blocked' | 'trial'>,
  streams: RandomStreams,
): readonly Detection[] {
  const seen = Array.from({ length: blocked }, () => ({ first: 0, last: 0, count: 0 }))
  const pool = new MemberPool({
    members,
    timing,
    without,
    metaBytes,
    latencyMs,
    draws: streams.fresh(`lifeguard once ${blocked} trial ${trial}`),
    onChange: (observer, { kind, member }, nowMs) => {
      const of = seen[numberOf(member.name)]
      if (kind !== 'failed' || of === undefined || observer < blocked) return
      if (of.count === 0) of.first = nowMs
      of.count++
      of.last = nowMs
    },
  })
  pool.runUntil(settleMs)
  for (let number = 0; number < blocked; number++) pool.block(number)
  pool.after(detectionBlockMs, () => {
    for (let number = 0; number < blocked; number++) pool.unblock(number)
  })
  pool.runUntil(settleMs + detectionPatienceMs)
  return seen.map(({ first, last, count }) => ({
    firstMs: count === 0 ? undefined : first - settleMs,
    allMs: count < members - blocked ? undefined : last - settleMs,
  }))
}

/** `m00017` is 17. */
function numberOf(name: string): number {
  return Number(name.slice(1))
}
