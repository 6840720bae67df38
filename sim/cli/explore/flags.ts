import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../../src/base/duration.ts'
import { sharesMax } from '../../campaign/manifest.ts'
import { commitPattern, type SeedSpan, type Share, seedsOfCommit, spanOfCommit } from '../../campaign/share.ts'
import type { SeedRange } from '../run-flags.ts'

/** The options of `svc-sim explore`. */
export interface ExploreFlags {
  readonly seeds?: SeedRange
  /** No seed begins after this time, in milliseconds. */
  readonly time?: number
  readonly shard?: Share
  /** Derive the seeds from this commit. */
  readonly commit?: string
  readonly jobs?: number
  readonly jsonl?: string
  readonly resume?: boolean
  readonly verify?: boolean
  readonly demands?: boolean
  /** Continue runs that reached rare marks, beside plain seeds. */
  readonly guided?: boolean
  readonly quiet?: boolean
  readonly steps?: number
  readonly stall?: number
}

/** The seeds of all shares; a text says what is wrong with the command line. */
export function spanOf({ seeds, time, commit }: ExploreFlags): SeedSpan | string {
  if (seeds === undefined && time === undefined) return 'give --seeds A..B, --time 10m, or both: a campaign has an end'
  const span: SeedSpan = seeds ?? { first: 1 }
  if (commit === undefined) return span
  const isWithin = span.first >= 1 && (span.last ?? 1) <= seedsOfCommit
  return isWithin ? spanOfCommit(commit, span) : `with --commit --seeds counts from 1 to ${seedsOfCommit}`
}

export function shardOf(text: string): Share {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text)
  const [index, of] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || index < 1 || index > of || of > sharesMax) {
    throw new InvalidArgumentError(`Write which share of how many, from 1/N to N/N, such as 2/4; at most ${sharesMax}.`)
  }
  return { index, of }
}

export function commitHash(text: string): string {
  if (commitPattern.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('Write a hash of a commit, of 8 to 64 hexadecimal digits.')
}

/** Longer campaigns must be split into several commands. */
const timeMaxMs = 30 * 24 * 3_600_000

/** The time limit in milliseconds. */
export function timeSpan(text: string): number {
  const parsed = parseDuration(text)
  if (!parsed.ok) throw new InvalidArgumentError(`${parsed.error}: write a time such as 10m.`)
  if (parsed.value <= 0 || parsed.value > timeMaxMs) throw new InvalidArgumentError('Write a time up to 720h.')
  return parsed.value
}
