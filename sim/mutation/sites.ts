import type { NamedMutant } from './build.ts'

/** What a run of the unchanged program reaches. */
export interface ReachedSites {
  /** A byte for each site. */
  readonly reached: Uint8Array
}

/** Which sites belong together. */
export class Sites {
  /** For each file, the sites within functions. */
  readonly #ofFile = new Map<string, number[]>()

  /** `mutants`: all mutants of the build. */
  constructor(mutants: readonly NamedMutant[]) {
    for (const { file, site, isStatic } of mutants) {
      if (isStatic) continue
      const known = this.#ofFile.get(file)
      if (known === undefined) this.#ofFile.set(file, [site])
      else known.push(site)
    }
  }

  /**
   * The runs that reach the mutant. Code that runs when its module is loaded (`isStatic`) counts as reached by the runs
   * that reach a function of the module.
   */
  reaching<Run extends ReachedSites>(runs: readonly Run[], mutant: NamedMutant, isStatic: boolean): readonly Run[] {
    const sites = isStatic ? (this.#ofFile.get(mutant.file) ?? []) : [mutant.site]
    return runs.filter(({ reached }) => sites.some((site) => reached[site] === 1))
  }

  /** First those that reach most of the mutant's file for what they cost, because these are about it. */
  mostAbout<Run extends ReachedSites>(
    runs: readonly Run[],
    { file }: NamedMutant,
    costOf: (run: Run) => number,
  ): readonly Run[] {
    const sites = this.#ofFile.get(file) ?? []
    return inOrder(runs, (run) => costOf(run) / (1 + sites.filter((site) => run.reached[site] === 1).length))
  }
}

/** The least `costOf` first. */
export function inOrder<T>(all: readonly T[], costOf: (one: T) => number): readonly T[] {
  const costs = new Map(all.map((one) => [one, costOf(one)]))
  return all.toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0))
}
