/** What comparing and bisecting builds needs of the machine: temporary folders, and other programs. */
export interface Workplace {
  /** Absolute path of a new folder. It is removed with the process if not before, also where a signal ends that. */
  folder(): string
  /** Removes a folder with all that is in it. */
  remove(folder: string): void
  /** Makes `path` lead to the folder `target`. */
  link(target: string, path: string): void
  /** A file or folder is there. */
  exists(path: string): boolean
  /** Runs another program to its end; what it has started ends with this process. */
  run(argv: readonly string[], options: RunOptions): Promise<ProgramEnd>
  /** The Node that runs this program. */
  readonly node: string
}

export interface RunOptions {
  readonly folder?: string
  /** Beside the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface ProgramEnd {
  /** Undefined: it could not be started, or a signal ended it. */
  readonly exit: number | undefined
  readonly out: string
  /** The end of its standard error, or why it could not be started. */
  readonly error: string
}
