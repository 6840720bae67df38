import type { MutationBuild, NamedMutant } from './build.ts'
import type { Half, Split } from './effects.ts'
import type { RunLine } from './lines.ts'
import { bytesOfRanges } from './ranges.ts'
import { share, table } from './score.ts'

/** Something that no run does. */
export interface Never {
  /** `src/raft/core/commit.ts:17:7`. */
  readonly place: string
  /** `never reached`, or what the value at this place never was. */
  readonly fate: string
  readonly text: string
  /** How many changeable places behind this one, up to the next that is reached, are not reached either. */
  readonly more: number
}

/** The same for one room, and how much there is. */
export interface NeverInRoom {
  readonly room: string
  readonly places: number
  readonly reached: number
  /** Values that conditions and operands might have: two for each that is observed. */
  readonly values: number
  readonly taken: number
  readonly never: readonly Never[]
}

/**
 * What no run of the unchanged program does: places that none reaches, and conditions, operands and comparisons of which
 * one value occurs in none. No scenario can notice a mistake there, whatever it judges. What only runs when its module
 * is loaded does not count.
 */
export function neverIn({ mutants, sites }: MutationBuild, runs: readonly RunLine[]): readonly NeverInRoom[] {
  const ranges = runs.flatMap((run) => (run.isSound && run.reached !== '' ? [run.reached] : []))
  const reached = bytesOfRanges(ranges.join(','), sites)
  const later = mutants.filter(({ isStatic }) => !isStatic)
  const rooms = [...new Set(later.map(({ room }) => room))]
  return rooms.map((room) => {
    const all = later.filter((mutant) => mutant.room === room)
    return { room, ...found(placesOf(all), reached) }
  })
}

function found(places: readonly Place[], reached: Uint8Array): Omit<NeverInRoom, 'room'> {
  const never: Never[] = []
  const count = { places: 0, reached: 0, values: 0, taken: 0 }
  let before: NamedMutant | undefined
  for (const [first, ...others] of places) {
    const isReached = reached[first.site] === 1
    const values = valuesOf([first, ...others])
    count.places++
    count.reached += Number(isReached)
    count.values += values.size
    count.taken += [...values.keys()].filter((site) => reached[site] === 1).length
    if (!isReached) addUnreached(never, first, before)
    else never.push(...withoutImplied([...values].flatMap(([site, one]) => (reached[site] === 1 ? [] : [one]))))
    before = isReached ? undefined : first
  }
  return { ...count, never }
}

/** The changes of one place. */
type Place = [NamedMutant, ...NamedMutant[]]

/** Changes of one place have consecutive numbers. */
function placesOf(mutants: readonly NamedMutant[]): readonly Place[] {
  const places: Place[] = []
  for (const mutant of mutants) {
    const last = places.at(-1)
    if (last?.[0].site === mutant.site) last.push(mutant)
    else places.push([mutant])
  }
  return places
}

/** `before`: the place before it, if that is not reached either. */
function addUnreached(
  never: Never[],
  { file, place, before: text }: NamedMutant,
  before: NamedMutant | undefined,
): void {
  const last = never.at(-1)
  if (last !== undefined && before?.file === file) never[never.length - 1] = { ...last, more: last.more + 1 }
  else never.push({ place, fate: 'never reached', text, more: 0 })
}

/** By site, the values that make a difference to changes of one place. */
function valuesOf(mutants: readonly NamedMutant[]): ReadonlyMap<number, Never> {
  const values = new Map<number, Never>()
  for (const { effect, place } of mutants) {
    const fate = effect === undefined ? undefined : fates[effect.split][effect.half]
    if (effect !== undefined && fate !== undefined) values.set(effect.site, { place, fate, text: effect.text, more: 0 })
  }
  return values
}

/**
 * Without what follows from another one of the same place: if `a` is never true, `a && b` is not either, and if `a && b`
 * is never false, neither is `a`.
 */
function withoutImplied(all: readonly Never[]): readonly Never[] {
  return all.filter(({ fate, text }) => {
    return !all.some((other) => {
      if (other.fate !== fate || other.text === text) return false
      const isPart = text.startsWith(other.text)
      if (!isPart && !other.text.startsWith(text)) return false
      const behind = isPart ? text.slice(other.text.length) : other.text.slice(text.length)
      return impliedBy(fate, behind.trimStart().slice(0, 2)) === (isPart ? 'part' : 'whole')
    })
  })
}

/** Which of `a` and `a && b` tells more if both have one fate. */
function impliedBy(fate: string, sign: string): 'part' | 'whole' | undefined {
  if (sign !== '&&' && sign !== '||') return undefined
  return (fate === 'never true') === (sign === '&&') ? 'part' : 'whole'
}

/** That a comparison is never close is nothing that a scenario should change. */
const fates: Readonly<Record<Split, Readonly<Record<Half, string | undefined>>>> = {
  truth: { 0: 'never true', 1: 'never false' },
  presence: { 0: 'never undefined', 1: 'always undefined' },
  nullity: { 0: 'never absent', 1: 'always absent' },
  distance: { 0: 'never equal', 1: undefined },
}

const columns = ['room', 'places', 'reached', 'share', 'values', 'taken', 'share'] as const

export function neverTable(rooms: readonly NeverInRoom[]): readonly string[] {
  const rows = rooms.map(({ room, places, reached, values, taken }) => {
    return [room, places, reached, share(reached, places), values, taken, share(taken, values)]
  })
  return table(columns, rows)
}
