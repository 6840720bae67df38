import type { NamedMutant } from '../mutation/build.ts'
import type { FunctionPlace } from '../mutation/functions.ts'
import type { Candidate, Nothing } from './code-candidates.ts'
import type { CodeTrial } from './code-trials.ts'

/**
 * Why a function is named: with a change in it, the run passes (`cures`); it returned nothing before the program
 * reported something missing (`nothing`); or it ran near the failure, and rarely (`near`).
 */
export type CodeReason = 'cures' | 'nothing' | 'near'

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
  /** Number of its changes that were tried. */
  readonly tried: number
}

export interface Ranked {
  readonly trials: readonly CodeTrial[]
  readonly candidates: readonly Candidate[]
  /** The program reports that something was missing. */
  readonly isMissing: boolean
  readonly nothings: readonly Nothing[]
  readonly functionAt: (file: string, at: NamedMutant['at']) => FunctionPlace | undefined
}

/** Maximum number of functions that come before all others because they returned nothing against their declared type. */
const promisedFirst = 2
/** Maximum number of functions that come before those in which a change cures because they returned nothing. */
const nothingsFirst = 2
/** This many curing changes, doubled, are worth one arrow less. */
const cureWorth = 1.5
const suspectsMax = 10

/** Functions of the agent that may be the cause, the likeliest first. */
export function rankedCode({ trials, candidates, isMissing, nothings, functionAt }: Ranked): readonly SuspectCode[] {
  const keyed = (
    file: string,
    at: NamedMutant['at'],
  ): { readonly key: string; readonly of: FunctionPlace | undefined } => {
    const of = functionAt(file, at)
    return { key: `${file} ${of === undefined ? '' : of.first}`, of }
  }
  const found = new Map<string, SuspectCode>()
  const add = (key: string, suspect: SuspectCode): void => {
    if (!found.has(key)) found.set(key, suspect)
  }
  const empty = groups(nothings, ({ place }) => keyed(place.file, place.at))
  const tried = groups(trials, ({ candidate }) => keyed(candidate.mutant.file, candidate.mutant.at))
  const triedOf = (key: string): number => tried.find((group) => group.key === key)?.all.length ?? 0
  const addNothing = ({ key, of, all }: (typeof empty)[number]): void => {
    const [first] = all
    if (first === undefined) return
    const places = all.map(({ place }) => place.place)
    add(key, { file: first.place.file, of, reason: 'nothing', places, cures: [], tried: triedOf(key) })
  }
  const addNear = ({ key, of, all }: Group<Candidate>): void => {
    const [first] = all
    if (first === undefined) return
    const places = [...new Set(all.map(({ mutant }) => mutant.place))]
    add(key, { file: first.mutant.file, of, reason: 'near', places, cures: [], tried: triedOf(key) })
  }
  const broken = empty.filter(({ all }) => all.some(({ place }) => place.isPromised))
  for (const group of broken.slice(0, promisedFirst)) addNothing(group)
  if (isMissing) for (const group of empty.slice(0, nothingsFirst)) addNothing(group)
  for (const { key, of, all } of tried.toSorted((a, b) => cureCost(a.all) - cureCost(b.all))) {
    const cures = all.filter(isCure).map(({ candidate }) => candidate)
    const [first] = cures
    if (first === undefined) continue
    const places = [...new Set(cures.map(({ mutant }) => mutant.place))]
    add(key, { file: first.mutant.file, of, reason: 'cures', places, cures, tried: all.length })
  }
  const near = groups(candidates.slice(0, nearMax), ({ mutant }) => keyed(mutant.file, mutant.at))
  const rest = [
    ...empty.map((group) => ({ cost: costIn(group.all) - nothingWorth, add: () => addNothing(group) })),
    ...near.map((group) => ({ cost: costIn(group.all), add: () => addNear(group) })),
  ]
  for (const each of rest.toSorted((a, b) => a.cost - b.cost)) each.add()
  return [...found.values()].slice(0, suspectsMax)
}

/** A function that returned nothing counts as nearer by this many arrows, and slightly more. */
const nothingWorth = 2

function costIn(all: readonly { readonly cost: number }[]): number {
  return Math.min(...all.map(({ cost }) => cost))
}

/** Number of candidates among which functions near the failure are looked for. */
const nearMax = 300

function isCure({ outcome }: CodeTrial): boolean {
  return outcome === 'cured'
}

/** The least cost of a curing change, lower if several cure; greater than any other if none does. */
function cureCost(trials: readonly CodeTrial[]): number {
  const cures = trials.filter(isCure)
  if (cures.length === 0) return Number.MAX_VALUE
  return Math.min(...cures.map(({ candidate }) => candidate.cost)) - cureWorth * Math.log2(cures.length)
}

interface Group<T> {
  readonly key: string
  readonly of: FunctionPlace | undefined
  readonly all: T[]
}

/** Groups in the order of their first elements. */
function groups<T>(
  all: readonly T[],
  keyOf: (one: T) => { readonly key: string; readonly of: FunctionPlace | undefined },
): readonly Group<T>[] {
  const made = new Map<string, Group<T>>()
  for (const one of all) {
    const { key, of } = keyOf(one)
    const group = made.get(key) ?? { key, of, all: [] }
    group.all.push(one)
    made.set(key, group)
  }
  return [...made.values()]
}
