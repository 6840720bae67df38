import type { NamedMutant } from '../mutation/build.ts'
import type { FunctionPlace } from '../mutation/functions.ts'
import { calledIn } from './asked-functions.ts'
import type { Clue } from './clues.ts'
import type { Candidate, Nothing } from './code-candidates.ts'
import type { CodeTrial, Undone } from './code-trials.ts'

/**
 * Why a function is named: with a change in it, the run passes (`cures`); it returned nothing before the program
 * reported something missing (`nothing`); the run itself points at it (as a clue does); it was the last to run for a
 * question that was never answered (`last`); or it ran near the failure, and rarely (`near`).
 */
export type CodeReason = 'cures' | 'nothing' | Clue['kind'] | 'last' | 'near'

/** A function that may be wrong. */
export interface SuspectCode {
  readonly file: string
  /** Undefined: no named function. */
  readonly of: FunctionPlace | undefined
  readonly reason: CodeReason
  /** `src/raft/core/commit.ts:17:7`; the likeliest place in it first. */
  readonly places: readonly string[]
  /** With each of these changes alone the run passes; the likeliest first. */
  readonly cures: readonly Candidate[]
  /** The work that the run leaves undone with the first of them. */
  readonly undone: readonly Undone[]
  /** For `said` and `unsaid`: the text. */
  readonly text?: string | undefined
  /** Number of its changes that were tried. */
  readonly tried: number
}

export interface Ranked {
  readonly trials: readonly CodeTrial[]
  readonly candidates: readonly Candidate[]
  /** The program reports that something was missing. */
  readonly isMissing: boolean
  readonly nothings: readonly Nothing[]
  readonly clues: readonly Clue[]
  readonly functionAt: (file: string, at: NamedMutant['at']) => FunctionPlace | undefined
}

/**
 * How much each kind of evidence is worth against the cost of a place; one step is twice as likely. `promised`: a function
 * returned nothing although its declared type excludes that. `missing`: a function returned nothing before the program
 * failed because a value was missing. `nothing`: a function returned nothing. `thrown`: it threw. `said`: a text that
 * stands only there was reported. `unsaid`: what was demanded would have been reported there. `last`: it was the last to
 * run for a question that was never answered.
 */
const worth = { promised: 12, missing: 8, nothing: 2, thrown: 9, said: 10, unsaid: 14, last: 6 } as const
/** Worth of a curing change: more if few changes cure, and more for each doubling of the cures in one function. */
const cureWorth = { least: 6, most: 12, several: 1.5 } as const
/** A cure is worth less for each law that misses much of what it judged, by up to this much. */
const undoneMost = 4
/** It is worth less by this much if the program fails, or does not work, with the change in effect all the time. */
const notHeld = 5
const suspectsMax = 10

/** Functions of the agent that may be the cause, the likeliest first. */
export function rankedCode(ranked: Ranked): readonly SuspectCode[] {
  const { trials, candidates, nothings, clues, functionAt } = ranked
  const keyOf = (file: string, at: NamedMutant['at']): FunctionKey => {
    const of = functionAt(file, at)
    return { key: `${file} ${of === undefined ? '' : of.first}`, of }
  }
  const ofMutant = ({ mutant }: Candidate): FunctionKey => keyOf(mutant.file, mutant.at)
  const tried = new Map(groups(trials, ({ candidate }) => ofMutant(candidate)).map((each) => [each.key, each.all]))
  const weighed = [
    ...groups(nothings, ({ place }) => keyOf(place.file, place.at)).map((each) => nothingIn(each, ranked)),
    ...groups(clues, ({ file, at }) => keyOf(file, at)).map(clueIn),
    ...groups(trials.filter(isCure), ({ candidate }) => ofMutant(candidate)).map((each) => cureIn(each, trials)),
    ...nearIn(groups(candidates.slice(0, nearMax), ofMutant)),
  ]
  const found = new Map<string, SuspectCode>()
  for (const { key, suspect } of weighed.toSorted((a, b) => a.cost - b.cost)) {
    if (!found.has(key)) found.set(key, { ...suspect, tried: tried.get(key)?.length ?? 0 })
  }
  return [...found.values()].slice(0, suspectsMax)
}

/** A function with one kind of evidence; the lower its cost, the likelier it is the cause. */
interface Weighed {
  readonly key: string
  readonly cost: number
  readonly suspect: Omit<SuspectCode, 'tried'>
}

function nothingIn({ key, of, all }: Group<Nothing>, { isMissing }: Ranked): Weighed {
  const costs = all.map(({ place: { isPromised }, cost }) => {
    return cost - (isPromised ? worth.promised : isMissing ? worth.missing : worth.nothing)
  })
  const places = all.map(({ place }) => place.place)
  const [{ place: first }] = all
  return {
    key,
    cost: Math.min(...costs),
    suspect: { file: first.file, of, reason: 'nothing', places, cures: [], undone: [] },
  }
}

function clueIn({ key, of, all }: Group<Clue>): Weighed {
  const [first] = all.toSorted((a, b) => a.cost - worth[a.kind] - (b.cost - worth[b.kind])) as [Clue, ...Clue[]]
  const { file, kind: reason, text, place } = first
  return {
    key,
    cost: first.cost - worth[reason],
    suspect: { file, of, reason, places: [place], cures: [], undone: [], text },
  }
}

function cureIn({ key, of, all }: Group<CodeTrial>, trials: readonly CodeTrial[]): Weighed {
  const rarity = Math.log2((trials.length + 1) / (trials.filter(isCure).length + 0.5))
  const credit = Math.min(cureWorth.most, cureWorth.least + rarity) + cureWorth.several * Math.log2(all.length)
  // A change that keeps the program from doing its work also keeps it from failing.
  const inOrder = all.toSorted((a, b) => costOf(a) - costOf(b))
  const [first = all[0]] = inOrder
  const cures = inOrder.map(({ candidate }) => candidate)
  const { file } = first.candidate.mutant
  const suspect = { file, of, reason: 'cures', places: placesOf(cures), cures, undone: first.undone } as const
  return { key, cost: costOf(first) - credit, suspect }
}

function costOf({ candidate, undone, holds }: CodeTrial): number {
  return candidate.cost + Math.min(undoneMost, undone.length) + (holds === false ? notHeld : 0)
}

function nearIn(near: readonly Group<Candidate>[]): readonly Weighed[] {
  const ends = near.map(({ of, all }) => ({ of, all: all.filter(({ isEnd }) => isEnd) }))
  // Of what ran last, a function that another one called has answered, and the other one has gone on.
  const calls = ends.flatMap(({ of, all }) => {
    return all.flatMap(({ mutant }) => [...calledIn(mutant.before)].filter((name) => name !== of?.name))
  })
  const answered = new Set(calls)
  return near.map(({ key, of, all }, at): Weighed => {
    const [first] = all
    const last = of !== undefined && answered.has(of.name) ? [] : (ends[at]?.all ?? [])
    const [reason, places] = last.length > 0 ? (['last', placesOf(last)] as const) : (['near', placesOf(all)] as const)
    const cost = Math.min(...all.map((each) => each.cost), ...last.map((each) => each.cost - worth.last))
    return { key, cost, suspect: { file: first.mutant.file, of, reason, places, cures: [], undone: [] } }
  })
}

function placesOf(candidates: readonly Candidate[]): readonly string[] {
  return [...new Set(candidates.map(({ mutant }) => mutant.place))]
}

/** Number of candidates among which functions near the failure are looked for. */
const nearMax = 300

function isCure({ outcome }: CodeTrial): boolean {
  return outcome === 'cured'
}

interface FunctionKey {
  readonly key: string
  /** Undefined: no function with a name. */
  readonly of: FunctionPlace | undefined
}

interface Group<T> extends FunctionKey {
  readonly all: [T, ...T[]]
}

/** Groups in the order of their first elements. */
function groups<T>(all: readonly T[], keyOf: (one: T) => FunctionKey): readonly Group<T>[] {
  const made = new Map<string, Group<T>>()
  for (const one of all) {
    const { key, of } = keyOf(one)
    const group = made.get(key)
    if (group === undefined) made.set(key, { key, of, all: [one] })
    else group.all.push(one)
  }
  return [...made.values()]
}
