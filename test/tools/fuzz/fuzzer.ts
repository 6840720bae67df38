import { Dice } from '../dice.ts'
import { wordsFor } from './coverage.ts'
import { type Finding, Judge } from './judge.ts'
import { minimised } from './minimised.ts'
import { mutated } from './mutation.ts'
import type { FuzzTarget } from './target.ts'

/** A finding with the shortest input that shows it. */
export interface Found extends Finding {
  readonly input: Uint8Array
}

export interface FuzzRun {
  readonly target: FuzzTarget
  readonly seed: number
  /** Made by mutation; those of the corpus come first and are not counted. */
  readonly inputs: number
  /** Inputs of the corpus. */
  readonly corpus: readonly Uint8Array[]
  /** At most so many: a run that finds one thing again and again says no more by it. */
  readonly findingsMax: number
  readonly onFound: (found: Found) => void
  /** Told every `progressInputs`. */
  readonly onProgress?: (run: FuzzProgress) => void
  /** No further input is begun after that. */
  readonly untilMs?: number
}

export interface FuzzProgress {
  readonly inputs: number
  readonly places: number
  readonly corpus: number
  readonly stepsMax: number
}

export interface FuzzEnd extends FuzzProgress {
  readonly findings: number
  /** Inputs that went new ways, the shortest that the loop knows of each. */
  readonly kept: readonly Uint8Array[]
}

const progressInputs = 50_000
/** Inputs of a corpus that are kept in memory; behind it new ways are counted, and their inputs let go. */
const keptMax = 20_000
/** An input of which a byte costs by so much more than of any before is kept: mutations of it may cost more still. */
const dearer = 1.1
/** Time and memory are measured several times in each. */
const minimisingRuns: Readonly<Record<Finding['kind'], number>> = { crash: 3_000, steps: 1_000, cpu: 16, bytes: 60 }
/** What an input of no length may cost. */
const headBytes = 64

/** What is new is tried more often, and so is what is short: more of its bytes matter, and it takes less time. */
function chosen(corpus: readonly Uint8Array[], dice: Dice): Uint8Array {
  const { length } = corpus
  const isForNew = dice.below(2) === 0
  const drawn = () =>
    corpus[isForNew ? Math.max(dice.below(length), dice.below(length)) : dice.below(length)] as Uint8Array
  const [one, other] = [drawn(), drawn()]
  return dice.below(4) !== 0 && other.length < one.length ? other : one
}

/**
 * Mutates inputs of a corpus that grows by those that go new ways, or cost more than any before. Equal seeds give equal
 * runs.
 */
export async function fuzz(run: FuzzRun): Promise<FuzzEnd> {
  const { target, seed } = run
  const [judge, dice] = [new Judge(target), new Dice(seed)]
  const kept: Uint8Array[] = []
  const signatures = new Set<string>()
  let [inputs, stepsMax, dearest] = [0, 0, 0]
  const progress = (): FuzzProgress => ({ inputs, places: judge.coverage.places, corpus: kept.length, stepsMax })

  const look = async (bytes: Uint8Array): Promise<void> => {
    const { steps, isNew, finding } = await judge.judge(bytes)
    const cost = steps / (headBytes + bytes.length)
    const isDearer = cost > dearest * dearer
    dearest = Math.max(dearest, cost)
    stepsMax = Math.max(stepsMax, steps)
    if (finding !== undefined) await find(bytes, finding)
    else if ((isNew || isDearer) && kept.length < keptMax) kept.push(bytes)
  }
  const find = async (bytes: Uint8Array, finding: Finding): Promise<void> => {
    if (signatures.has(finding.signature)) return
    signatures.add(finding.signature)
    const isSame = async (shorter: Uint8Array): Promise<boolean> =>
      (await judge.judge(shorter, finding.kind)).finding?.signature === finding.signature
    const input = await minimised(bytes, isSame, minimisingRuns[finding.kind])
    const { finding: last } = await judge.judge(input, finding.kind)
    run.onFound({ ...(last ?? finding), input })
  }

  for (const bytes of [...target.seeds(), ...run.corpus]) {
    await look(bytes)
    // Good inputs stay, also those that go the way of another.
    if (kept.at(-1) !== bytes) kept.push(bytes)
  }
  const words = wordsFor(judge.coverage, target.words)
  for (; inputs < run.inputs && signatures.size < run.findingsMax; inputs++) {
    if (run.untilMs !== undefined && performance.now() > run.untilMs) break
    if (inputs % progressInputs === 0 && inputs > 0) run.onProgress?.(progress())
    const corpus = kept.length === 0 ? [new Uint8Array(1)] : kept
    await look(mutated(chosen(corpus, dice), { dice, words, corpus, lengthMax: target.lengthMax }))
  }
  return { ...progress(), findings: signatures.size, kept }
}
