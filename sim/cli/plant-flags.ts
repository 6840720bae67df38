/** What is wrong on purpose with the program that runs; without an option, it is this program. */
export interface PlantFlags {
  /** Row or name of a planted bug. */
  readonly bug?: string
  /** Identity of a mutant, after its file if that is given: `src/raft/core/log.ts:be968cda`. */
  readonly mutant?: string
}

/** The options that select the same copy, with a space before each. */
export function plantText({ bug, mutant }: PlantFlags): string {
  return [
    ...(bug === undefined ? [] : [` --bug ${bug}`]),
    ...(mutant === undefined ? [] : [` --mutant ${mutant}`]),
  ].join('')
}

/** The bug or mutant planted in the runs of this process, as options; undefined: none. */
export function plantedIn(flags: PlantFlags): string | undefined {
  const text = plantText(flags).trim()
  return text === '' ? undefined : text
}
