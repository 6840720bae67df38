/** What comparing and bisecting builds needs of the machine: temporary folders, and other programs. */
export interface Workplace {
  /** Absolute path of a new folder. It is removed with the process at the latest, even if a signal ends the process. */
  folder(): string
  /** Removes a folder with its content. */
  remove(folder: string): void
  /** Makes `path` a link to the folder `target`. */
  link(target: string, path: string): void
  /** Whether a file or folder exists. */
  exists(path: string): boolean
  /** Runs another program to its end; processes that it has started end with this process. */
  run(argv: readonly string[], options: RunOptions): Promise<ProgramEnd>
  /** Path of the Node executable that runs this program. */
  readonly node: string
}

export interface RunOptions {
  readonly folder?: string
  /** Added to the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Maximum real time, in milliseconds; then the program and all that it has started end. Absent: no limit. */
  readonly withinMs?: number
}

export interface ProgramEnd {
  /** Undefined: it could not be started, or a signal ended it. */
  readonly exit: number | undefined
  /** It was ended by force at its limit of time. */
  readonly isOverdue: boolean
  readonly out: string
  /** The end of its standard error, or why it could not be started. */
  readonly error: string
}
