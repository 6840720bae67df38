import { invariant } from '../../../src/base/invariant.ts'
import type { RandomStream } from '../../../src/env/random.ts'
import { happens } from '../random-streams.ts'
import { drawRangeUs, microseconds, type RangeMs, type RangeUs, rangeUs } from '../time-range.ts'
import type { Host } from './host.ts'

/** What one direction of a link does to what it carries. Chances are from 0 to 1. */
export interface LinkOptions {
  readonly latencyMs?: RangeMs
  /** Mean of a further delay with a long tail (exponential). */
  readonly jitterMs?: number
  readonly loss?: number
  /** Datagrams only, as the two below: a stream repairs them. */
  readonly duplicate?: number
  /** This many datagrams are held back by `reorderMs`, so that later ones overtake them. */
  readonly reorder?: number
  readonly reorderMs?: RangeMs
  /** One bit of a datagram is flipped. */
  readonly corrupt?: number
  /** This many datagrams arrive once more, later by `replayMs`: somebody has recorded them, or a queue has kept them. */
  readonly replay?: number
  readonly replayMs?: RangeMs
}

export const defaultLink: Required<LinkOptions> = {
  latencyMs: [0.2, 0.8],
  jitterMs: 0,
  loss: 0,
  duplicate: 0,
  reorder: 0,
  reorderMs: [1, 20],
  corrupt: 0,
  replay: 0,
  replayMs: [10_000, 60_000],
}

/** Datagrams under way on one link at a time; further ones are lost, as in a router whose queue is full. */
const datagramsUnderWayMax = 4096

/**
 * Quantiles of the exponential distribution of mean 1, in 1/1024: the expected order statistics of 256 draws,
 * `1/256 + 1/255 + …`. Made of divisions and additions alone, which are the same on every engine.
 */
const exponential: readonly number[] = exponentialTable()

/** One direction between two machines. */
export class Link {
  readonly from: Host
  readonly to: Host
  cut = false
  /** Datagrams on their way. */
  underWay = 0
  readonly #draw: RandomStream
  #latency: RangeUs = { least: 0, spread: 0 }
  #reorder: RangeUs = { least: 0, spread: 0 }
  #jitterUs = 0
  #loss = 0
  #duplicateChance = 0
  #reorderChance = 0
  #corruptChance = 0
  #replayChance = 0
  #replay: RangeUs = { least: 0, spread: 0 }

  constructor(from: Host, to: Host, draw: RandomStream, options: Required<LinkOptions>) {
    this.from = from
    this.to = to
    this.#draw = draw
    this.set(options)
  }

  set(options: Required<LinkOptions>): void {
    for (const name of ['loss', 'duplicate', 'reorder', 'corrupt', 'replay'] as const) {
      invariant(options[name] >= 0 && options[name] <= 1, 'a chance is from 0 to 1', { name, chance: options[name] })
    }
    this.#latency = rangeUs(options.latencyMs)
    this.#reorder = rangeUs(options.reorderMs)
    this.#jitterUs = microseconds(options.jitterMs)
    this.#loss = options.loss
    this.#duplicateChance = options.duplicate
    this.#reorderChance = options.reorder
    this.#corruptChance = options.corrupt
    this.#replayChance = options.replay
    this.#replay = rangeUs(options.replayMs)
  }

  /** The shortest time that anything takes: for acknowledgements, which carry nothing and are not drawn for. */
  get leastUs(): number {
    return this.#latency.least
  }

  /** Whether anything sent now goes on its way: both ends have power, the link is whole, and it is not lost by chance. */
  passes(): boolean {
    return !this.cut && this.to.powered && !happens(this.#loss, this.#draw)
  }

  /** Whether something that is on its way arrives now. */
  get isWhole(): boolean {
    return !this.cut && this.to.powered
  }

  drawDelayUs(): number {
    const us = drawRangeUs(this.#latency, this.#draw)
    if (this.#jitterUs === 0) return us
    return us + Math.floor((this.#jitterUs * (exponential[this.#draw.uint32() & 255] as number)) / 1024)
  }

  drawDatagramDelayUs(): number {
    const us = this.drawDelayUs()
    return happens(this.#reorderChance, this.#draw) ? us + drawRangeUs(this.#reorder, this.#draw) : us
  }

  get hasRoom(): boolean {
    return this.underWay < datagramsUnderWayMax
  }

  duplicates(): boolean {
    return happens(this.#duplicateChance, this.#draw)
  }

  /** After how long the same comes once more; mostly undefined: never. */
  drawReplayUs(): number | undefined {
    return happens(this.#replayChance, this.#draw) ? drawRangeUs(this.#replay, this.#draw) : undefined
  }

  /** The bytes as they arrive. */
  carried(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0 || !happens(this.#corruptChance, this.#draw)) return bytes
    const spoilt = bytes.slice()
    const bit = this.#draw.below(bytes.length * 8)
    spoilt[bit >> 3] = (spoilt[bit >> 3] as number) ^ (1 << (bit & 7))
    return spoilt
  }

  /** Where to cut a piece of a stream in two, so that nobody relies on pieces; mostly nowhere. */
  drawSplit(length: number): number {
    return length > 1 && (this.#draw.uint32() & 31) === 0 ? 1 + this.#draw.below(length - 1) : 0
  }
}

function exponentialTable(): readonly number[] {
  const table: number[] = []
  let sum = 0
  for (let left = 256; left > 0; left--) {
    sum += 1 / left
    table.push(Math.round(sum * 1024))
  }
  return table
}
