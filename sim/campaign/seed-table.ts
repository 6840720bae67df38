import { invariant } from '../../src/base/invariant.ts'
import { type SeedRecord, type SeedVerdict, seedVerdicts } from '../report/seed-record.ts'

const chunkSeeds = 4096
/** Maximum number of chunks of one campaign, together some 600 MB: a file that scatters its seeds cannot take more. */
export const chunksMax = 16_384

/** For each seed, 64 bits of its trace, its verdict, and its verdicts without a run: 10 bytes. */
interface Chunk {
  readonly high: Uint32Array
  readonly low: Uint32Array
  /** Number of the verdict on its run, counted from 1; 0: it has no run. */
  readonly verdict: Uint8Array
  /** One bit for each verdict without a run; the lowest one means that it had two different runs. */
  readonly without: Uint8Array
}

/** The bit of `passed`, a verdict that always has a run. */
const otherRunBit = 1

/**
 * The relation of a record to earlier ones of the same seed: the first one with a run, or with its verdict without a
 * run; a repetition; or a record of another run, although a seed has only one: the first that shows it, or a further
 * one.
 */
export type Arrival = 'new' | 'again' | 'first other run' | 'other run' | 'no room'

/** Which seeds of one scenario have a record, and of which run: a few bytes each, whatever the record's size. */
export class SeedTable {
  readonly #chunks = new Map<number, Chunk>()
  readonly #mayGrow: () => boolean
  /** Number of seeds that have no run, by the number of the verdict. */
  readonly #open: number[] = seedVerdicts.map(() => 0)
  #seeds = 0
  #recovered = 0

  /** `mayGrow`: called before each chunk. */
  constructor(mayGrow: () => boolean) {
    this.#mayGrow = mayGrow
  }

  /** Number of seeds that have a record. */
  get seeds(): number {
    return this.#seeds
  }

  /** Number of seeds that have no run, by their verdict; of several verdicts, the first one in the list. */
  get open(): readonly (readonly [SeedVerdict, number])[] {
    return seedVerdicts.flatMap((verdict, number) => {
      const seeds = this.#open[number] ?? 0
      return seeds === 0 ? [] : [[verdict, seeds] as const]
    })
  }

  /** Number of seeds that have a run, and also had a verdict without one. */
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

  /** `number`: that of a verdict; -1: none. */
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

/** Number of the lowest set bit; -1: none is set. */
function firstBit(bits: number): number {
  return bits === 0 ? -1 : 31 - Math.clz32(bits & -bits)
}

function wordsOf(trace: string): readonly [number, number] {
  return [Number.parseInt(trace.slice(0, 8), 16), Number.parseInt(trace.slice(8, 16), 16)]
}

function wordText(word = 0): string {
  return word.toString(16).padStart(8, '0')
}
