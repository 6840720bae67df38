/** What is wrong on purpose with the program that runs; nothing: it is this one. */
export interface PlantFlags {
  /** Row or name of a planted bug. */
  readonly bug?: string
  /** Identity of a mutant, behind its file if that is given: `src/raft/core/log.ts:be968cda`. */
  readonly mutant?: string
}

/** The options that come to the same copy, with a space before each. */
export function plantText({ bug, mutant }: PlantFlags): string {
  return [
    ...(bug === undefined ? [] : [` --bug ${bug}`]),
    ...(mutant === undefined ? [] : [` --mutant ${mutant}`]),
  ].join('')
}

/** What is planted in the runs of this process, as options; undefined: nothing. */
export function plantedIn(flags: PlantFlags): string | undefined {
  const text = plantText(flags).trim()
  return text === '' ? undefined : text
}
