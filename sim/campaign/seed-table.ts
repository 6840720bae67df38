import { invariant } from '../../src/base/invariant.ts'
import { type SeedRecord, type SeedVerdict, seedVerdicts } from '../report/seed-record.ts'

const chunkSeeds = 4096
/** Chunks of one campaign, together some 600 MB: a file that scatters its seeds cannot take more. */
export const chunksMax = 16_384

/** Of each seed 64 bits of its trace, its verdict, and which verdicts without a run it had: 10 bytes. */
interface Chunk {
  readonly high: Uint32Array
  readonly low: Uint32Array
  /** Number of the verdict on its run, from 1 on; 0: it has no run. */
  readonly verdict: Uint8Array
  /** One bit for each verdict without a run; the lowest one: it had two different runs. */
  readonly without: Uint8Array
}

/** That of `passed`, which is never without a run. */
const otherRunBit = 1

/**
 * What a record is beside those of the same seed that came before: the first one with a run, or of its verdict without
 * a run; one more of the same; or one of another run, though a seed has but one: the first that shows it, or one more.
 */
export type Arrival = 'new' | 'again' | 'first other run' | 'other run' | 'no room'

/** Which seeds of one scenario have a record, and of which run: a few bytes for each, whatever the record has. */
export class SeedTable {
  readonly #chunks = new Map<number, Chunk>()
  readonly #mayGrow: () => boolean
  /** By the number of the verdict: seeds that have no run. */
  readonly #open: number[] = seedVerdicts.map(() => 0)
  #seeds = 0
  #recovered = 0

  /** `mayGrow`: asked before each chunk. */
  constructor(mayGrow: () => boolean) {
    this.#mayGrow = mayGrow
  }

  /** Number of seeds that have a record. */
  get seeds(): number {
    return this.#seeds
  }

  /** Seeds that have no run, by their verdict; of several verdicts the first one of their list. */
  get open(): readonly (readonly [SeedVerdict, number])[] {
    return seedVerdicts.flatMap((verdict, number) => {
      const seeds = this.#open[number] ?? 0
      return seeds === 0 ? [] : [[verdict, seeds] as const]
    })
  }

  /** Number of seeds that have a run, and had a verdict without one, too. */
  get recovered(): number {
    return this.#recovered
  }

  has(seed: number): boolean {
    const chunk = this.#chunks.get(Math.floor(seed / chunkSeeds))
    const at = seed % chunkSeeds
    return chunk !== undefined && (chunk.verdict[at] !== 0 || chunk.without[at] !== 0)
  }

  hasRun(seed: number): boolean {
    const verdict = this.#chunks.get(Math.floor(seed / chunkSeeds))?.verdict[seed % chunkSeeds] ?? 0
    return verdict !== 0
  }

  put({ seed, trace, verdict }: Pick<SeedRecord, 'seed' | 'trace' | 'verdict'>): Arrival {
    const chunk = this.#chunkOf(seed)
    if (chunk === undefined) return 'no room'
    if (!this.has(seed)) this.#seeds++
    const number = seedVerdicts.indexOf(verdict)
    if (trace === null) return this.#putWithout(chunk, seed % chunkSeeds, number)
    return this.#putRun(chunk, seed % chunkSeeds, trace, number + 1)
  }

  #putWithout(chunk: Chunk, at: number, number: number): Arrival {
    const before = chunk.without[at] as number
    const now = before | (1 << number)
    chunk.without[at] = now
    if (now === before) return 'again'
    const first = firstBit(before & ~otherRunBit)
    if (chunk.verdict[at] !== 0) {
      if (first < 0) this.#recovered++
      return 'new'
    }
    this.#addOpen(first, -1)
    this.#addOpen(firstBit(now), 1)
    return 'new'
  }

  #putRun(chunk: Chunk, at: number, trace: string, verdict: number): Arrival {
    const [high, low] = wordsOf(trace)
    const before = chunk.without[at] as number
    if (chunk.verdict[at] !== 0) {
      if (chunk.high[at] === high && chunk.low[at] === low && chunk.verdict[at] === verdict) return 'again'
      chunk.without[at] = before | otherRunBit
      return chunk.without[at] === before ? 'other run' : 'first other run'
    }
    chunk.high[at] = high
    chunk.low[at] = low
    chunk.verdict[at] = verdict
    this.#addOpen(firstBit(before), -1)
    if (before !== 0) this.#recovered++
    return 'new'
  }

  /** `number`: of a verdict; -1: of none. */
  #addOpen(number: number, more: number): void {
    const before = this.#open[number]
    if (before !== undefined) this.#open[number] = before + more
  }

  /** The run of a seed that has one. */
  runOf(seed: number): { readonly trace: string; readonly verdict: SeedVerdict } {
    const chunk = this.#chunks.get(Math.floor(seed / chunkSeeds))
    const at = seed % chunkSeeds
    const verdict = seedVerdicts[(chunk?.verdict[at] ?? 0) - 1]
    invariant(chunk !== undefined && verdict !== undefined, 'a seed that has a run', { seed })
    return { trace: wordText(chunk.high[at]) + wordText(chunk.low[at]), verdict }
  }

  /** Every seed that has a record, in ascending order. */
  *present(): Generator<number, void, void> {
    for (const number of [...this.#chunks.keys()].toSorted((one, other) => one - other)) {
      const first = number * chunkSeeds
      for (let seed = first; seed < first + chunkSeeds; seed++) if (this.has(seed)) yield seed
    }
  }

  #chunkOf(seed: number): Chunk | undefined {
    const number = Math.floor(seed / chunkSeeds)
    const there = this.#chunks.get(number)
    if (there !== undefined || !this.#mayGrow()) return there
    const made: Chunk = {
      high: new Uint32Array(chunkSeeds),
      low: new Uint32Array(chunkSeeds),
      verdict: new Uint8Array(chunkSeeds),
      without: new Uint8Array(chunkSeeds),
    }
    this.#chunks.set(number, made)
    return made
  }
}

/** Number of the lowest bit that is set; -1: none is. */
function firstBit(bits: number): number {
  return bits === 0 ? -1 : 31 - Math.clz32(bits & -bits)
}

function wordsOf(trace: string): readonly [number, number] {
  return [Number.parseInt(trace.slice(0, 8), 16), Number.parseInt(trace.slice(8, 16), 16)]
}

function wordText(word = 0): string {
  return word.toString(16).padStart(8, '0')
}
