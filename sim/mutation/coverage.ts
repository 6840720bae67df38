import type { NamedMutant } from './build.ts'
import type { Judge, Program } from './jury.ts'
import type { RunLine } from './lines.ts'
import { bytesOfRanges } from './ranges.ts'

/** A run of the unchanged program, with which mutants on its path are compared. */
export interface Path {
  readonly judge: Judge
  readonly seed: number
  readonly trace: string | null
  readonly cpuMs: number
  /** A byte for each site. */
  readonly reached: Uint8Array
}

/** Which runs reach which sites. */
export class Coverage {
  readonly #sites: number
  readonly #paths: Path[] = []
  /** For each file, the sites within functions. */
  readonly #sitesOfFile = new Map<string, readonly number[]>()
  #loaded: Uint8Array

  constructor(sites: number, mutants: readonly NamedMutant[]) {
    this.#sites = sites
    this.#loaded = new Uint8Array(sites)
    for (const { file, site, isStatic } of mutants) {
      if (!isStatic) this.#sitesOfFile.set(file, [...(this.#sitesOfFile.get(file) ?? []), site])
    }
  }

  add(judge: Judge, { seed, trace, cpuMs, reached, loaded }: RunLine): void {
    this.#loaded = bytesOfRanges(loaded, this.#sites)
    this.#paths.push({ judge, seed, trace, cpuMs, reached: bytesOfRanges(reached, this.#sites) })
  }

  /**
   * Whether it takes effect when its module is loaded: at the top of the module, or in a function that runs only then.
   */
  isStatic({ isStatic, site }: NamedMutant): boolean {
    return isStatic || (this.#loaded[site] === 1 && !this.#paths.some(({ reached }) => reached[site] === 1))
  }

  /**
   * The runs that reach the mutant: the first seeds of all judges before the second ones, and among them first those that
   * reach most of the mutant's file for their CPU time, because these are about it. Code that runs when its module is
   * loaded counts as reached by the runs that reach a function of the module. If none does, other modules use the
   * module's values, and every run counts.
   */
  pathsOf(mutant: NamedMutant): readonly Path[] {
    const isStatic = this.isStatic(mutant)
    const sites = isStatic ? (this.#sitesOfFile.get(mutant.file) ?? []) : [mutant.site]
    const reaching = this.#paths.filter(({ reached }) => sites.some((site) => reached[site] === 1))
    const ofFile = this.#sitesOfFile.get(mutant.file) ?? []
    return inOrder(isStatic && reaching.length === 0 ? this.#paths : reaching, ({ reached, cpuMs }) => {
      const passed = ofFile.filter((site) => reached[site] === 1).length
      return cpuMs / (1 + passed)
    })
  }

  cheapestOf(program: Program | undefined): Path | undefined {
    const paths = this.#paths.filter(({ judge }) => judge.program === program)
    return inOrder(paths, ({ cpuMs }) => cpuMs)[0]
  }
}

/** The least `costOf` first. */
function inOrder(paths: readonly Path[], costOf: (path: Path) => number): readonly Path[] {
  const turnOf = ({ judge, seed }: Path): number => seed - judge.seeds.first
  const costs = new Map(paths.map((path) => [path, costOf(path)]))
  return paths.toSorted((a, b) => turnOf(a) - turnOf(b) || (costs.get(a) ?? 0) - (costs.get(b) ?? 0))
}
