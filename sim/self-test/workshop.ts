import type { Worker } from '../pool/worker.ts'

/** What the self-test needs of the machine: patched copies of this program, and processes to run them. */
export interface Workshop {
  /** The text of a built file, such as `src/raft/core/commit.js`; undefined if there is none. */
  read(file: string): string | undefined
  /** A copy of the built program with the texts of these files replaced; whole if no form is named. */
  copy(replaced: ReadonlyMap<string, string>, form?: CopyForm): ProgramCopy
  /** Path of a scenario of this program: `hunts/lease.yaml`. */
  scenario(name: string): string
}

/**
 * - `whole`: a file for each module. The replaced texts may be any JavaScript, and a build changes nothing of the copy.
 * - `linked`: links to all that was not replaced, made and removed at once. The replaced texts must be written as the
 *   compiler writes modules; otherwise the copy does not start. A build meanwhile changes what the copy runs next.
 */
export type CopyForm = 'whole' | 'linked'

export interface ProgramCopy {
  /** Absolute path of its folder. */
  readonly folder: string
  /**
   * A process that runs its seeds. `stallCpuMs`: CPU time that a seed may use while its virtual time stands still.
   * `environment`: variables beside those of this process.
   */
  startWorker(stallCpuMs: number, environment?: Readonly<Record<string, string>>): Worker
  /** Runs its `svc-sim` to the end, in a process of its own; calls back with each line of standard output. */
  run(argv: readonly string[], onLine: (line: string) => void): Promise<CopyEnd>
  /**
   * Runs its `svc-sim` to the end as this command itself would run: with the same input, output and terminal.
   * `environment`: variables beside those of this process. The exit code, also of SIGINT and SIGTERM as a shell has it;
   * undefined: another signal ended it.
   */
  command(argv: readonly string[], environment: Readonly<Record<string, string>>): Promise<number | undefined>
  /** Removes it from the disk. */
  remove(): void
}

export interface CopyEnd {
  /** Undefined: it used CPU time without an end, or none at all, and was stopped; or a signal ended it. */
  readonly exit: number | undefined
  /** The end of its standard error. */
  readonly error: string
}
