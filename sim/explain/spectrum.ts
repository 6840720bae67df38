/** A run that the failing one is compared with. */
export interface ComparedRun {
  /** Of the same page with another seed; otherwise of another page. */
  readonly isOfPage: boolean
  readonly hasFailed: boolean
  /** A byte for each site that can be changed: whether the run reached it. */
  readonly reached: Uint8Array
  /** A byte for each place that returns something: whether it returned nothing. */
  readonly returned: Uint8Array
}

/** A share of bugs, and how often they show in a run that goes through them, as a part of how often the page fails. */
const kinds = [
  { share: 0.75, part: 1 },
  { share: 0.18, part: 1 / 4 },
  { share: 0.07, part: 1 / 50 },
] as const
/** How often a run fails without going through the bug, for another reason. */
const strayShare = 0.02
const surest = 0.95
const bitsMax = 10

/**
 * Fault localization by the spectra of runs (after Abreu, Zoeteweij and van Gemund, "An evaluation of similarity
 * coefficients for software fault localization", 2006): what runs that pass went through is less suspect, and so is what a
 * run that fails did not go through. The weight of the former depends on how often the page fails: where every seed
 * fails, a run that passes clears its code; where one in a hundred fails, it says next to nothing.
 */
export class Spectrum {
  readonly #runs: readonly ComparedRun[]
  readonly #chance: number
  /** Of the place that fits best. */
  readonly #least: number

  /** `sites`: those that the failing run went through, one of which is the bug. */
  constructor(runs: readonly ComparedRun[], sites: readonly number[] = []) {
    this.#runs = runs
    const ofPage = runs.filter(({ isOfPage }) => isOfPage)
    const fails = ofPage.filter(({ hasFailed }) => hasFailed).length
    this.#chance = Math.min(surest, (fails + 0.5) / (ofPage.length + 1))
    const least = sites.reduce((so, site) => Math.min(so, this.#siteBits(site)), Number.POSITIVE_INFINITY)
    this.#least = sites.length === 0 ? 0 : least
  }

  /** How little the runs fit to a bug at this site, in bits; 0: they fit as well as to any. */
  ofSite(site: number): number {
    return this.#within(this.#siteBits(site))
  }

  /** The same of a bug that shows as nothing returned from this place. */
  ofReturn(place: number): number {
    return this.#within(this.#bits(({ returned }) => returned[place] === 1))
  }

  /** Runs that fit to no place, for they fail for another reason, make none of them likelier. */
  #within(bits: number): number {
    return Math.max(0, Math.min(bitsMax, bits - this.#least))
  }

  #siteBits(site: number): number {
    return this.#bits(({ reached }) => reached[site] === 1)
  }

  #bits(isIn: (run: ComparedRun) => boolean): number {
    const fits = kinds.map(({ share, part }) => {
      return share * product(this.#runs.map((run) => likelihood(run, isIn(run), this.#chance * part)))
    })
    const fit = fits.reduce((sum, each) => sum + each, 0)
    const best = product(this.#runs.map(({ hasFailed }) => (hasFailed ? this.#chance : 1)))
    return Math.log2(best / fit)
  }
}

function likelihood({ hasFailed }: ComparedRun, isIn: boolean, chance: number): number {
  if (isIn) return hasFailed ? chance : 1 - chance
  return hasFailed ? strayShare : 1
}

function product(factors: readonly number[]): number {
  return factors.reduce((so, factor) => so * factor, 1)
}
