/** A process that runs seeds, as the process that asks it sees it. `sim/platform/worker-process.ts` implements it. */
export interface Worker {
  /** Sends one line. A worker that has ended takes none, and says so by `next`. */
  send(line: string): void
  /** What it says next; once it has ended, always its end. */
  next(): Promise<WorkerSaid>
  /** Ends it at once. */
  kill(): void
}

export type WorkerSaid = { readonly line: string } | { readonly end: WorkerEnd }

/** How a worker ended. */
export interface WorkerEnd {
  /** Undefined: a signal ended it. */
  readonly code: number | undefined
  readonly signal: string | undefined
  /** The end of its standard error. */
  readonly errors: string
}

/** The other end, within the worker. `sim/platform/worker-port.ts` implements it. */
export interface WorkerPort {
  /** Requests, one a line, until the asking process ends the worker. */
  requests(): AsyncIterable<string>
  say(line: string): void
  /**
   * Watches a run that begins now: if it uses CPU time without an end while `virtualUs` stands still, the worker says
   * so, with the stack, and ends. The returned function ends the watch. `cpuMaxMs`: CPU time that the whole run may
   * use.
   */
  watch(virtualUs: () => number, cpuMaxMs: number | undefined): () => void
}

/** The mutants of an instrumented program, as its worker sees them. `sim/platform/mutation.ts` implements it. */
export interface MutationSwitch {
  /** Turns a mutant on for the run that comes; 0: none. */
  turn(mutant: number): void
  /** Turns it on, or with 0 off, within a run. */
  set(mutant: number): void
  /** Calls back with each site that was reached since the last `turn` or `take`. */
  take(onSite?: (site: number) => void): void
  /** The same of places that returned nothing; `order` rises with time. */
  takeReturns(onReturn?: (place: number, order: number) => void): void
  /** Sites that were reached since the last `turn`, as ranges: `3-7,12`. */
  reached(): string
  /** Sites that were reached while the modules were loaded. */
  readonly loaded: string
}

/** Tells which code of the agent runs. `sim/platform/code-watch.ts` implements it. */
export interface CodeWatch {
  /** Counts from here on. */
  begin(): void
  /** By built module the lines that ran since, as ranges: `3-7,12`. */
  ran(): Readonly<Record<string, string>>
}

/** A longer line is refused on both sides: a request has a page of 1 MiB, escaped; a record is far below that. */
export const lineBytesMax = 8 << 20
