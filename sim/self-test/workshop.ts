/** What the self-test needs of the machine: copies of this program, changed, and run beside it. */
export interface Workshop {
  /** The text of a built file, such as `src/raft/core/commit.js`; undefined if there is none. */
  read(file: string): string | undefined
  /** A copy of the built program with the texts of these files replaced. */
  copy(replaced: ReadonlyMap<string, string>): ProgramCopy
  /** Where a scenario of this program lies: `hunts/lease.yaml`. */
  scenario(name: string): string
}

export interface ProgramCopy {
  /** Runs its `svc-sim` to the end, in a process of its own; tells each line that it writes to standard output. */
  run(argv: readonly string[], onLine: (line: string) => void): Promise<CopyEnd>
  /** Takes it off the disk. */
  remove(): void
}

export interface CopyEnd {
  /** Undefined: it used CPU time without an end, or none at all, and was stopped; or a signal ended it. */
  readonly exit: number | undefined
  /** The end of what it wrote to standard error. */
  readonly error: string
}
