/** Looks at a run between two events, when all that happens at a time has happened. The run ends after the last. */
export interface Looks<Run> {
  /** Microseconds of virtual time, ascending. */
  readonly timesUs: readonly number[]
  take(run: Run, atUs: number): void
}

/** The looks at one run: which are past, and whether any is still to come. */
export class LooksAtRun<Run> {
  readonly #run: Run
  readonly #looks: Looks<Run>
  /** How many of the times are past. */
  #past = 0

  /** Undefined `looks`: nothing is shown, and the run does not end for it. */
  constructor(run: Run, looks: Looks<Run> | undefined) {
    this.#run = run
    this.#looks = looks ?? { timesUs: [], take: () => undefined }
  }

  /** Everything that was asked for has been shown. */
  get areOver(): boolean {
    return this.#past > 0 && this.#past === this.#looks.timesUs.length
  }

  /**
   * Everything before this time has happened; undefined: nothing waits, and only the end of a wait says what the time
   * is.
   */
  show(nextUs: number | undefined): void {
    const { timesUs } = this.#looks
    for (let atUs = timesUs[this.#past]; atUs !== undefined && atUs < (nextUs ?? 0); ) {
      this.#looks.take(this.#run, atUs)
      atUs = timesUs[++this.#past]
    }
  }
}
