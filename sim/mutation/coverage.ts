import type { NamedMutant } from './build.ts'
import type { Judge, Program } from './jury.ts'
import type { RunLine } from './lines.ts'
import { bytesOfRanges } from './ranges.ts'
import { inOrder, type ReachedSites, Sites } from './sites.ts'

/** A run of the unchanged program, with which mutants on its path are compared. */
export interface Path extends ReachedSites {
  readonly judge: Judge
  readonly seed: number
  readonly trace: string | null
  readonly cpuMs: number
}

/** The runs by which a mutant is tried. */
export interface Paths {
  /** How many runs reach its place. */
  readonly reaching: number
  /** Those in which its change may make a difference, in the order in which they are tried. */
  readonly paths: readonly Path[]
}

/** Which runs reach which sites. */
export class Coverage {
  readonly #count: number
  readonly #sites: Sites
  readonly #paths: Path[] = []
  #loaded: Uint8Array

  constructor(sites: number, mutants: readonly NamedMutant[]) {
    this.#count = sites
    this.#sites = new Sites(mutants)
    this.#loaded = new Uint8Array(sites)
  }

  add(judge: Judge, { seed, trace, cpuMs, reached, loaded }: RunLine): void {
    this.#loaded = bytesOfRanges(loaded, this.#count)
    this.#paths.push({ judge, seed, trace, cpuMs, reached: bytesOfRanges(reached, this.#count) })
  }

  /**
   * Whether it takes effect when its module is loaded: at the top of the module, or in a function that runs only then.
   */
  isStatic({ isStatic, site }: NamedMutant): boolean {
    return isStatic || (this.#loaded[site] === 1 && !this.#paths.some(({ reached }) => reached[site] === 1))
  }

  /**
   * The runs that reach the mutant, without those in which the changed expression certainly has the value that it had; last
   * those in which it most likely has. Apart from that the first seeds of all judges before the second ones, and among them first those that
   * reach most of the mutant's file for their CPU time, because these are about it. If no run reaches a function of a
   * module, other modules use the values that it makes when it is loaded, and every run counts.
   */
  pathsOf(mutant: NamedMutant): Paths {
    const isStatic = this.isStatic(mutant)
    const found = this.#sites.reaching(this.#paths, mutant, isStatic)
    const reaching = isStatic && found.length === 0 ? this.#paths : found
    const about = this.#sites.mostAbout(reaching, mutant, ({ cpuMs }) => cpuMs)
    const paths = about.toSorted((a, b) => turnOf(a) - turnOf(b))
    const { effect } = mutant
    if (effect === undefined || isStatic) return { reaching: reaching.length, paths }
    const differing = paths.filter(({ reached }) => reached[effect.site] === 1)
    const others = effect.isCertain ? [] : paths.filter(({ reached }) => reached[effect.site] !== 1)
    return { reaching: reaching.length, paths: [...differing, ...others] }
  }

  cheapestOf(program: Program | undefined): Path | undefined {
    const paths = this.#paths.filter(({ judge }) => judge.program === program)
    return inOrder(paths, ({ cpuMs }) => cpuMs)[0]
  }
}

function turnOf({ judge, seed }: Path): number {
  return seed - judge.seeds.first
}
