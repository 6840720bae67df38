import type { NamedMutant, NamedReturn } from '../mutation/build.ts'
import type { FunctionPlace } from '../mutation/functions.ts'
import type { OperatorName } from '../mutation/operators/change.ts'
import type { ReachedSite, ReturnedNothing } from '../pool/messages.ts'
import type { Spectrum } from './spectrum.ts'

/** A change of the program that may make the failure disappear. */
export interface Candidate {
  readonly mutant: NamedMutant
  /** The turns in which it is on. */
  readonly turns: { readonly first: number; readonly last: number }
  /** How little its place has to do with the failure: the least is tried first. */
  readonly cost: number
  /** Its place ran in a turn with which the trail of an unanswered question ends. */
  readonly isEnd: boolean
}

/** The observations of a run of the instrumented program until it failed. */
export interface Watched {
  readonly mutants: readonly NamedMutant[]
  readonly sites: readonly ReachedSite[]
  /** For each watched event, the number of arrows from it to the failure. */
  readonly arrows: readonly number[]
  /** The watched events with which the trail of an unanswered question ends. */
  readonly ends: ReadonlySet<number>
  /** Folders of the code that makes the facts by which the law judges. */
  readonly rooms: readonly string[]
  /** The program reports that something was missing, so functions that returned nothing come first. */
  readonly returns: readonly NamedReturn[]
  readonly returned: readonly ReturnedNothing[]
  /** How well other runs fit to a bug in each place. */
  readonly spectrum: Spectrum
  /** What fails is what never happened in the whole run, so no moment of it is nearer than another. */
  readonly isTimeless: boolean
}

type FunctionAt = (file: string, at: NamedMutant['at']) => FunctionPlace | undefined

/** Code that the simulator also runs: a change of it would not affect only the agent. */
export const notOfTheAgent = /^src\/(?:base|env|native|pki|model)\//
/**
 * Distance of code without a part in the causes of the trace; the distance grows by up to this much more, the earlier
 * it ran.
 */
export const besideArrows = 24
export const longBefore = 200
/** Code that ran for the first time in the failed step counts as this many arrows away from the failure. */
const newArrows = 3
/** Additional cost of code outside the rooms of the law. */
const otherRoom = 4
/** Kinds of changes by the likelihood that they repair the program: the likeliest first, other kinds late. */
const order: readonly OperatorName[] = [
  'negate-condition',
  'equality',
  'boolean',
  'negation',
  'always-false',
  'always-true',
  'remove-statement',
  'logical',
  'boundary',
  'exact-comparison',
  'return-local',
  'return-false',
  'return-true',
  'left-operand',
  'right-operand',
  'similar-function',
  'other-local',
  'method-exchange',
  'off-by-one',
  'arithmetic',
]
const changesOfSite = 2
const lateCost = 5
/**
 * A handful of functions in a run compute a value and then return nothing. Handing that value over is likelier to repair
 * the program than other changes of code that ran as near and as seldom, by this many doublings.
 */
const handedOver = 6

/** The possible changes, in the order in which they are tried. */
export function candidatesOf(watched: Watched, functionAt: FunctionAt): readonly Candidate[] {
  const { mutants, sites, spectrum } = watched
  const bySite = new Map(sites.map((site) => [site.site, site]))
  const end = sites.reduce((last, { until }) => Math.max(last, until), 1)
  const taken = new Map<number, number>()
  const tries = mutants
    .filter(({ isStatic, file }) => !isStatic && !notOfTheAgent.test(file))
    .toSorted((a, b) => rank(a.operator) - rank(b.operator) || a.number - b.number)
    .flatMap((mutant): readonly Candidate[] => {
      const site = bySite.get(mutant.site)
      if (site === undefined) return []
      const nth = taken.get(mutant.site) ?? 0
      taken.set(mutant.site, nth + 1)
      const late = nth < changesOfSite && order.includes(mutant.operator) ? 0 : lateCost
      const isEnd = site.near !== undefined && watched.ends.has(site.near)
      // What should have followed there did not: that runs which pass went through this code, too, clears nothing.
      const unfit = isEnd ? 0 : spectrum.ofSite(site.site)
      const likely = mutant.operator === 'return-local' ? handedOver : 0
      const cost = costOf(site, mutant.file, { ...watched, end }) + late + unfit - likely
      return windowsOf(site).map((turns, at) => ({ mutant, turns, cost: cost + at * 3, isEnd }))
    })
  const cheapest = tries.toSorted((a, b) => a.cost - b.cost || a.mutant.number - b.mutant.number)
  return byTurns(cheapest, functionAt)
}

/** The more changes of a function have not cured, the less likely is the next one: twice as many count like one more bit. */
function byTurns(candidates: readonly Candidate[], functionAt: FunctionAt): readonly Candidate[] {
  const counts = new Map<string, number>()
  const keys = new Map<number, string>()
  const keyOf = ({ site, file, at }: NamedMutant): string => {
    const key = keys.get(site) ?? `${file} ${functionAt(file, at)?.first ?? ''}`
    keys.set(site, key)
    return key
  }
  return candidates
    .map((candidate) => {
      const key = keyOf(candidate.mutant)
      const before = counts.get(key) ?? 0
      counts.set(key, before + 1)
      return { candidate, cost: candidate.cost + Math.log2(1 + before) }
    })
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ candidate }) => candidate)
}

/** Code that ran and can be changed, and how little other runs fit to a bug in it. */
export interface RanSite {
  readonly file: string
  readonly at: NamedMutant['at']
  readonly unfit: number
}

export function ranSitesOf({ mutants, sites, spectrum }: Watched): readonly RanSite[] {
  const places = new Map(mutants.map((mutant) => [mutant.site, mutant]))
  return sites.flatMap(({ site }): readonly RanSite[] => {
    const place = places.get(site)
    return place === undefined ? [] : [{ file: place.file, at: place.at, unfit: spectrum.ofSite(site) }]
  })
}

/**
 * From when on a change is in effect: after a step that failed, from the first turn since it began, for what has not
 * happened may have been due at any time; otherwise from the last turn on in which it led to the failure, then from the
 * first one.
 */
function windowsOf({ first, last, from, until, isNew, again }: ReachedSite): readonly Candidate['turns'][] {
  const begins = isNew === true ? [from] : [...(again === undefined ? [] : [again]), last ?? until, first ?? until]
  return [...new Set(begins)].map((begin) => ({ first: begin, last: Number.MAX_SAFE_INTEGER }))
}

interface Around extends Pick<Watched, 'arrows' | 'rooms' | 'isTimeless'> {
  readonly end: number
}

/** Code that runs near the failure, and rarely, is likely. */
function costOf(
  { near, turns, until, isNew }: Pick<ReachedSite, 'near' | 'turns' | 'until' | 'isNew'>,
  file: string,
  { arrows, rooms, end, isTimeless }: Around,
): number {
  const led = near === undefined ? besideArrows + longBefore * (1 - until / end) : (arrows[near] ?? besideArrows)
  const far = isTimeless ? 0 : isNew === true ? Math.min(newArrows, led) : led
  const room = rooms.length === 0 || rooms.some((each) => file === each || file.startsWith(`${each}/`)) ? 0 : otherRoom
  return Math.log2(1 + far) + Math.log2(1 + turns) + room
}

function rank(operator: OperatorName): number {
  const at = order.indexOf(operator)
  return at < 0 ? order.length : at
}

/** A place where a function returned nothing before the failure, with its cost. */
export interface Nothing {
  readonly place: NamedReturn
  readonly cost: number
}

/** Functions that returned nothing before the failure: the last of the nearest turn first. */
export function nothingsOf(watched: Watched): readonly Nothing[] {
  const { returns, returned, spectrum } = watched
  const end = Math.max(1, ...returned.map(({ order: at }) => at))
  return returned
    .flatMap((each): readonly Nothing[] => {
      const place = returns[each.place]
      if (place === undefined) return []
      const { turns, order: until } = each
      const near = each.near === undefined ? {} : { near: each.near }
      const closeness = costOf({ ...near, turns, until }, place.file, { ...watched, end }) + (1 - until / end)
      const cost = closeness + (notOfTheAgent.test(place.file) ? lateCost : 0) + spectrum.ofReturn(each.place)
      return [{ place, cost }]
    })
    .toSorted((a, b) => a.cost - b.cost)
}
